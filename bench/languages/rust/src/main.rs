//! The costs that ../calls.c measures, in Rust.

use std::time::Instant;

use mindtorch::{ones, Result, Tensor};

fn measure(name: &str, repeats: u32, rounds: u32, mut call: impl FnMut() -> Result<()>) -> Result<()> {
    call()?;
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let begun = Instant::now();
        for _ in 0..repeats {
            call()?;
        }
        best = best.min(begun.elapsed().as_secs_f64() / f64::from(repeats));
    }
    println!("{name} {best:.9}");
    Ok(())
}

fn main() -> Result<()> {
    let (a, b, square) = (ones(&[1])?, ones(&[1])?, ones(&[1024, 1024])?);
    let mut elements = vec![0f64; 1_000_000];
    let numbers = Tensor::from_slice(&elements, &[1_000_000])?;
    measure("add", 500, 400, || a.add(&b).map(drop))?;
    measure("mm", 1, 10, || square.mm(&square).map(drop))?;
    measure("in", 1, 20, || Tensor::from_slice(&elements, &[1_000_000]).map(drop))?;
    measure("out", 1, 20, || numbers.copy_to_slice(&mut elements))?;
    measure("out, a new vector", 1, 20, || numbers.to_vec::<f64>().map(drop))
}
