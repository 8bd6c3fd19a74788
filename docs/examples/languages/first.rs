//! An operator, a gradient and an error in Rust.

use mindtorch::{ones, AddOptions, Result, Tensor};

fn show(name: &str, tensor: &Tensor) -> Result<()> {
    let numbers: Vec<String> = tensor.to_f64s()?.iter().map(f64::to_string).collect();
    println!("{name} {}", numbers.join(" "));
    Ok(())
}

fn main() -> Result<()> {
    let x: Tensor = [1f32, 2.0, 3.0].try_into()?;
    let y: Tensor = [4f32, 5.0, 6.0].try_into()?;
    show("sum", &x.add_with(&y, AddOptions { alpha: Some(1.into()) })?)?;

    x.set_requires_grad(true)?;
    (&x * &x).sum()?.backward()?;
    show("gradient", &x.grad()?.expect("x requires a gradient"))?;

    if let Err(error) = x.add(&ones(&[2])?) {
        println!("{error}"); // error.kind() and error.message() are its parts
    }
    Ok(())
}
