use std::error::Error as _;
use std::fmt;
use std::sync::{Arc, Mutex};

use mindtorch::{
    backward, call, define, define_with_derivative, enable_grad, grad_enabled, gradients, inference_mode, no_grad,
    Error, GraphOptions, Tensor,
};
use mindtorch_tests::{assert_elements, assert_error, error, floats, leaf};

/// (x**3).sum(), whose gradient is 3 * x**2.
fn cube(x: &Tensor) -> Tensor {
    x.pow_tensor_scalar(3).unwrap().sum().unwrap()
}

#[test]
fn backward_accumulates_gradients() {
    let x = leaf(&[1.0, 2.0, 3.0]);
    assert!(x.grad().unwrap().is_none());
    let loss = cube(&x);
    backward(
        &[&loss],
        GraphOptions {
            retain_graph: true,
            ..Default::default()
        },
    )
    .unwrap();
    assert_elements(&x.grad().unwrap().unwrap(), &[3.0, 12.0, 27.0]);
    loss.backward().unwrap();
    assert_elements(&x.grad().unwrap().unwrap(), &[6.0, 24.0, 54.0]);
    assert!(error(loss.backward())
        .message()
        .starts_with("Trying to backward through the graph a second time"));
    x.set_grad(None).unwrap();
    assert!(x.grad().unwrap().is_none());
}

#[test]
fn gradients_of_gradients() {
    let (x, unused) = (leaf(&[1.0, 2.0, 3.0]), leaf(&[1.0]));
    let options = GraphOptions {
        create_graph: true,
        ..Default::default()
    };
    let first = gradients(&[cube(&x)], &[&x], options).unwrap().remove(0).unwrap();
    let second = gradients(&[first.sum().unwrap()], &[&x], GraphOptions::default()).unwrap();
    assert_elements(second[0].as_ref().unwrap(), &[6.0, 12.0, 18.0]); // 6 * x
    assert!(x.grad().unwrap().is_none());
    let options = GraphOptions {
        allow_unused: true,
        ..Default::default()
    };
    assert!(gradients(&[cube(&x)], &[&x, &unused], options).unwrap()[1].is_none());
    let seed = floats(&[1.0, 0.0, 2.0], &[3]);
    let seeds = [Some(&seed)];
    let options = GraphOptions {
        seeds: &seeds,
        ..Default::default()
    };
    assert_elements(
        gradients(&[&x * 10], &[&x], options).unwrap()[0].as_ref().unwrap(),
        &[10.0, 0.0, 20.0],
    );
}

#[test]
fn errors_of_autograd() {
    let whole = Tensor::try_from([1i64, 2]).unwrap();
    let text = "Only Tensors of floating point and complex dtype can require gradients";
    assert_error(whole.set_requires_grad(true), "RuntimeError", text);
    let text = "element 0 of tensors does not require grad and does not have a grad_fn";
    assert_error(floats(&[1.0], &[1]).backward(), "RuntimeError", text);
    let text = "a leaf Variable that requires grad is being used in an in-place operation.";
    assert_error(leaf(&[1.0]).add_scalar_(1), "RuntimeError", text);
}

#[test]
fn guards_set_and_restore_the_mode_of_the_thread() {
    let x = leaf(&[1.0]);
    {
        let _outer = no_grad();
        assert!(!(&x * 2).requires_grad());
        {
            let _inner = enable_grad();
            assert!((&x * 2).requires_grad());
        }
        assert!(!grad_enabled());
        let elsewhere = std::thread::spawn(grad_enabled).join().unwrap();
        assert!(elsewhere, "the mode reached another thread");
    }
    assert!(grad_enabled());
    drop(inference_mode());
    assert!(grad_enabled());
}

#[test]
fn hooks_see_and_replace_gradients() {
    let x = leaf(&[1.0, 2.0, 3.0]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = seen.clone();
    let hook = x
        .on_gradient(move |grad| {
            list.lock().unwrap().extend(grad.to_f64s()?);
            grad.mul_scalar(2).map(Some)
        })
        .unwrap();
    cube(&x).backward().unwrap();
    assert_eq!(*seen.lock().unwrap(), [3.0, 12.0, 27.0]);
    assert_elements(&x.grad().unwrap().unwrap(), &[6.0, 24.0, 54.0]);
    x.remove_hook(hook).unwrap();
    assert_eq!(Arc::strong_count(&seen), 1, "the removed hook is alive");
    x.set_grad(None).unwrap();
    let calls = Arc::new(Mutex::new(0));
    let counter = calls.clone();
    x.on_accumulate(move |leaf| {
        *counter.lock().unwrap() += leaf.numel();
        Ok(())
    })
    .unwrap();
    cube(&x).backward().unwrap();
    assert_eq!(*calls.lock().unwrap(), 3);
    assert_elements(&x.grad().unwrap().unwrap(), &[3.0, 12.0, 27.0]);
}

#[derive(Debug)]
struct OfTheHook;
impl fmt::Display for OfTheHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("from the hook")
    }
}
impl std::error::Error for OfTheHook {}

#[test]
fn errors_and_panics_of_hooks_come_out_of_backward() {
    let x = leaf(&[1.0]);
    x.on_gradient(|_| Err(Error::from_error(OfTheHook))).unwrap();
    let failure = error(cube(&x).backward());
    assert_eq!((failure.kind(), failure.message()), ("RuntimeError", "from the hook"));
    assert!(
        failure.source().unwrap().downcast_ref::<OfTheHook>().is_some(),
        "the hook's own error is lost"
    );
    let y = leaf(&[1.0]);
    y.on_gradient(|_| Err(Error::new("KeyError", "absent"))).unwrap();
    assert_error(cube(&y).backward(), "KeyError", "absent");
    let z = leaf(&[1.0]);
    z.on_gradient(|_| panic!("no")).unwrap();
    assert_error(cube(&z).backward(), "RuntimeError", "panic in a Rust callback: no");
}

#[test]
fn operators_defined_in_rust() {
    define(
        "rusttest::scale(Tensor self, float factor=3.0) -> Tensor",
        |arguments| Ok(vec![arguments[0].tensor()?.mul_scalar(arguments[1].float()?)?.into()]),
    )
    .unwrap();
    let x = leaf(&[1.0, 2.0]);
    let y = call("rusttest::scale", "", &[(&x).into()], &[]).unwrap();
    assert_elements(y[0].tensor().unwrap(), &[3.0, 6.0]);
    y[0].tensor().unwrap().sum().unwrap().backward().unwrap();
    assert_elements(&x.grad().unwrap().unwrap(), &[3.0, 3.0]);

    // A derivative that is wrong on purpose, so that its use shows.
    define_with_derivative(
        "rusttest::square(Tensor self) -> Tensor",
        |arguments| Ok(vec![arguments[0].tensor()?.mul(arguments[0].tensor()?)?.into()]),
        |grads, _, _| Ok(vec![grads[0].tensor()?.mul_scalar(100)?.into()]),
    )
    .unwrap();
    let z = leaf(&[3.0]);
    let squared = call("rusttest::square", "", &[(&z).into()], &[]).unwrap();
    assert_elements(squared[0].tensor().unwrap(), &[9.0]);
    squared[0].tensor().unwrap().backward().unwrap();
    assert_elements(&z.grad().unwrap().unwrap(), &[100.0]);

    define("rusttest::wrong(Tensor self) -> Tensor", |_| Ok(Vec::new())).unwrap();
    let text = "the function returned 0 values instead of 1";
    assert_error(call("rusttest::wrong", "", &[(&x).into()], &[]), "RuntimeError", text);
    error(define("no schema", |_| Ok(Vec::new())));
}
