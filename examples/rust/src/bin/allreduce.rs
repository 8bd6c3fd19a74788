//! Four processes sum their tensors with the collectives of torch.distributed: this program starts itself once for each rank.

use std::process::{Command, ExitCode};
use std::time::Duration;

use mindtorch::{Group, Reduction, Result, Store, Tensor};

const PROCESSES: i32 = 4;
const PATIENCE: Duration = Duration::from_secs(60);

/// Each process contributes 1, 2, 3, ... times its rank plus one; afterwards all have the sum.
fn add_up(rank: i32, port: u16) -> Result<()> {
    let store = Store::tcp("localhost", port, rank, PROCESSES, PATIENCE)?;
    let group = Group::new("gloo", &store, rank, PROCESSES, PATIENCE)?;
    let numbers: Vec<f32> = (1..=5).map(|i| ((rank + 1) * i) as f32).collect();
    let tensor = Tensor::from_slice(&numbers, &[5])?;
    group.all_reduce(&tensor, Reduction::Sum)?;
    let sums = tensor.to_vec::<f32>()?;
    assert_eq!(sums, [10.0, 20.0, 30.0, 40.0, 50.0]);
    if rank == 0 {
        let shown: Vec<String> = sums.iter().map(f32::to_string).collect();
        println!("every process has {}", shown.join(" "));
    }
    group.barrier()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, rank, port] = &arguments[..] {
        let (rank, port) = (rank.parse().expect("a rank"), port.parse().expect("a port"));
        return match add_up(rank, port) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let port = 20000 + std::process::id() % 20000;
    let children: Vec<_> = (0..PROCESSES)
        .map(|rank| {
            Command::new(&arguments[0])
                .args([rank.to_string(), port.to_string()])
                .spawn()
        })
        .collect();
    let succeeded = children
        .into_iter()
        .map(|child| child.and_then(|mut child| child.wait()))
        .filter(|status| matches!(status, Ok(status) if status.success()))
        .count();
    if succeeded == PROCESSES as usize {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
