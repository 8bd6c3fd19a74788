//! Finds libmindtorch: in the folder MINDTORCH_LIB_DIR, else by pkg-config.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=MINDTORCH_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let folder = env::var_os("MINDTORCH_LIB_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(by_pkg_config);
    let folder = fs::canonicalize(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=mindtorch");
    println!("cargo:libdir={}", folder.display());
    if !folder.join("libmindtorch.so").exists() {
        // Python's wheel contains the library by the name that programs load, not by the one that linkers search.
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let link = out.join("libmindtorch.so");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(folder.join("libmindtorch.so.0"), &link).expect("OUT_DIR is writable");
        println!("cargo:rustc-link-search=native={}", out.display());
    }
}

fn by_pkg_config() -> PathBuf {
    let output = Command::new("pkg-config")
        .args(["--variable=libdir", "mindtorch"])
        .output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().into(),
        _ => panic!("pkg-config does not find mindtorch: set PKG_CONFIG_PATH, or MINDTORCH_LIB_DIR to the folder of libmindtorch.so"),
    }
}
