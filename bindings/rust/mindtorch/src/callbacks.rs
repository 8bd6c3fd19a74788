//! Functions of Rust that the library calls: hooks on gradients, and operators.

use std::any::Any;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

use mindtorch_sys as sys;

use crate::error::{c_string, check, status_of, Error, Result};
use crate::tensor::Tensor;
use crate::value::{Arguments, Value};

/// A hook of a tensor, to remove it.
#[derive(Clone, Copy, Debug)]
pub struct HookId(i64);

type Hook = Box<dyn Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync>;
type Kernel = Box<dyn Fn(&[Value]) -> Result<Vec<Value>> + Send + Sync>;
type Derivative = Box<dyn Fn(&[Value], &[Value], &[Value]) -> Result<Vec<Value>> + Send + Sync>;

impl Tensor {
    /// Calls a function with the tensor's gradient in each backward pass, on the thread that runs it. What it returns replaces the
    /// gradient. Its error, with its source, comes out of `backward`; a panic comes out as a `RuntimeError`.
    pub fn on_gradient(
        &self,
        hook: impl Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync + 'static,
    ) -> Result<HookId> {
        self.add_hook(Box::new(hook), |tensor, user, id| unsafe {
            sys::mt_tensor_add_hook(tensor, Some(run_hook), user, Some(drop_box::<Hook>), id)
        })
    }

    /// Calls a function with the leaf after each backward pass has accumulated its gradient.
    pub fn on_accumulate(&self, hook: impl Fn(&Tensor) -> Result<()> + Send + Sync + 'static) -> Result<HookId> {
        let hook: Hook = Box::new(move |leaf| hook(leaf).map(|()| None));
        self.add_hook(hook, |tensor, user, id| unsafe {
            sys::mt_tensor_add_accumulate_hook(tensor, Some(run_accumulate_hook), user, Some(drop_box::<Hook>), id)
        })
    }

    fn add_hook(
        &self,
        hook: Hook,
        add: impl FnOnce(*mut sys::mt_tensor, *mut c_void, &mut i64) -> *mut sys::mt_status,
    ) -> Result<HookId> {
        let user = Box::into_raw(Box::new(hook));
        let mut id = 0;
        match check(add(self.handle(), user.cast(), &mut id)) {
            Ok(()) => Ok(HookId(id)),
            Err(error) => {
                // Safety: on failure, the function is still ours.
                drop(unsafe { Box::from_raw(user) });
                Err(error)
            }
        }
    }

    pub fn remove_hook(&self, hook: HookId) -> Result<()> {
        // Safety: the handle is valid.
        check(unsafe { sys::mt_tensor_remove_hook(self.handle(), hook.0) })
    }
}

/// Adds an operator for the whole process: `define("shop::scale(Tensor self, float factor) -> Tensor", kernel)`. The function gets all
/// arguments, defaults included, and returns all results. It runs on every device, and its own operators are recorded.
pub fn define(schema: &str, kernel: impl Fn(&[Value]) -> Result<Vec<Value>> + Send + Sync + 'static) -> Result<()> {
    let op = declare(schema)?;
    register_kernel(op, sys::MT_KEY_COMPOSITE, Box::new(kernel))
}

/// Adds an operator for the CPU with a derivative: it gets the gradients of the results (none if undefined), the arguments and the results,
/// and returns one gradient per argument, or none.
pub fn define_with_derivative(
    schema: &str,
    kernel: impl Fn(&[Value]) -> Result<Vec<Value>> + Send + Sync + 'static,
    derivative: impl Fn(&[Value], &[Value], &[Value]) -> Result<Vec<Value>> + Send + Sync + 'static,
) -> Result<()> {
    let op = declare(schema)?;
    register_kernel(op, sys::MT_KEY_CPU, Box::new(kernel))?;
    let derivative: Derivative = Box::new(derivative);
    let user = Box::into_raw(Box::new(derivative));
    // Safety: the library owns the function from here on, unless it fails.
    unsafe {
        let destroy = Some(drop_box::<Derivative> as unsafe extern "C" fn(*mut c_void));
        check(sys::mt_op_register_derivative(
            op,
            Some(run_derivative),
            user.cast(),
            destroy,
        ))
        .map_err(|error| {
            drop(Box::from_raw(user));
            error
        })
    }
}

fn declare(schema: &str) -> Result<*const sys::mt_op> {
    let mut op = std::ptr::null();
    // Safety: the text ends with a NUL.
    check(unsafe { sys::mt_op_define(c_string(schema)?.as_ptr(), &mut op) })?;
    Ok(op)
}

fn register_kernel(op: *const sys::mt_op, key: i32, kernel: Kernel) -> Result<()> {
    let user = Box::into_raw(Box::new(kernel));
    // Safety: the library owns the function from here on, unless it fails.
    unsafe {
        let destroy = Some(drop_box::<Kernel> as unsafe extern "C" fn(*mut c_void));
        check(sys::mt_op_register_kernel(
            op,
            key,
            Some(run_kernel),
            user.cast(),
            destroy,
        ))
        .map_err(|error| {
            drop(Box::from_raw(user));
            error
        })
    }
}

// ---- called from C; a panic must not unwind into it

pub(crate) fn guarded(call: impl FnOnce() -> Result<()>) -> *mut sys::mt_status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(error)) => status_of(error),
        Err(panic) => status_of(Error::new(
            "RuntimeError",
            format!("panic in a Rust callback: {}", text_of(panic.as_ref())),
        )),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of an unknown type")
}

unsafe extern "C" fn drop_box<T>(user: *mut c_void) {
    let value = Box::from_raw(user.cast::<T>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
}

unsafe extern "C" fn run_hook(
    user: *mut c_void,
    grad: *mut sys::mt_tensor,
    replacement: *mut *mut sys::mt_tensor,
) -> *mut sys::mt_status {
    guarded(|| {
        let hook = &*user.cast::<Hook>();
        if let Some(other) = hook(&Tensor::share(grad))? {
            *replacement = other.handle();
            std::mem::forget(other); // the library owns this reference
        }
        Ok(())
    })
}

unsafe extern "C" fn run_accumulate_hook(user: *mut c_void, leaf: *mut sys::mt_tensor) -> *mut sys::mt_status {
    guarded(|| {
        let hook = &*user.cast::<Hook>();
        hook(&Tensor::share(leaf)).map(|_| ())
    })
}

unsafe extern "C" fn run_kernel(
    user: *mut c_void,
    _op: *const sys::mt_op,
    _keys: u64,
    args: *const sys::mt_value,
    n: i64,
    rets: *mut sys::mt_value,
    n_rets: i64,
) -> *mut sys::mt_status {
    guarded(|| {
        let kernel = &*user.cast::<Kernel>();
        give(&kernel(&values(args, n)?)?, rets, n_rets)
    })
}

unsafe extern "C" fn run_derivative(
    user: *mut c_void,
    _op: *const sys::mt_op,
    grads: *const sys::mt_value,
    n_grads: i64,
    args: *const sys::mt_value,
    n_args: i64,
    results: *const sys::mt_value,
    n_results: i64,
    out: *mut sys::mt_value,
) -> *mut sys::mt_status {
    guarded(|| {
        let derivative = &*user.cast::<Derivative>();
        let given = derivative(
            &values(grads, n_grads)?,
            &values(args, n_args)?,
            &values(results, n_results)?,
        )?;
        give(&given, out, n_args)
    })
}

/// Safety: `data` points to `n` valid values.
unsafe fn values(data: *const sys::mt_value, n: i64) -> Result<Vec<Value>> {
    (0..n as usize).map(|i| Value::of(&*data.add(i))).collect()
}

/// Writes owned values.
///
/// Safety: `out` has room for `n` values.
unsafe fn give(given: &[Value], out: *mut sys::mt_value, n: i64) -> Result<()> {
    if given.len() as i64 != n {
        let words = format!("the function returned {} values instead of {n}", given.len());
        return Err(Error::new("RuntimeError", words));
    }
    let arguments = Arguments::new(given);
    for (i, value) in arguments.values.iter().enumerate() {
        if let Err(error) = check(sys::mt_value_copy(value, out.add(i))) {
            for written in 0..i {
                sys::mt_value_clear(out.add(written));
            }
            return Err(error);
        }
    }
    Ok(())
}
