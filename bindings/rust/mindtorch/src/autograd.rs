//! Gradients and modes.

use std::borrow::Borrow;
use std::marker::PhantomData;

use mindtorch_sys as sys;

use crate::error::{check, Error, Result};
use crate::tensor::Tensor;

/// What [`backward`] and [`gradients`] may be asked for.
#[derive(Clone, Copy, Default)]
pub struct GraphOptions<'a> {
    /// The graph can be used again.
    pub retain_graph: bool,
    /// The gradients are recorded, for second derivatives; the graph is kept.
    pub create_graph: bool,
    /// [`gradients`] gives `None` for an input that the outputs do not depend on, instead of an error.
    pub allow_unused: bool,
    /// The outputs' own gradients; an empty list, or `None` in it, for an output with one element, whose gradient is 1.
    pub seeds: &'a [Option<&'a Tensor>],
    /// [`backward`] accumulates into these leaves only.
    pub inputs: &'a [&'a Tensor],
}

impl Tensor {
    /// Makes operators on a leaf be recorded or not, with torch's errors for other dtypes and for results of operators.
    pub fn set_requires_grad(&self, on: bool) -> Result<()> {
        // Safety: the handle is valid; the same holds for all calls below.
        check(unsafe { sys::mt_tensor_set_requires_grad(self.handle(), i32::from(on)) })
    }

    /// The accumulated gradient.
    pub fn grad(&self) -> Result<Option<Tensor>> {
        let mut out = std::ptr::null_mut();
        check(unsafe { sys::mt_tensor_grad(self.handle(), &mut out) })?;
        Ok(Tensor::own_or_none(out))
    }

    /// Replaces the gradient; `None` clears it.
    pub fn set_grad(&self, grad: Option<&Tensor>) -> Result<()> {
        let grad = grad.map_or(std::ptr::null_mut(), Tensor::handle);
        check(unsafe { sys::mt_tensor_set_grad(self.handle(), grad) })
    }

    /// Makes `backward` keep the gradient of a tensor that is no leaf.
    pub fn retain_grad(&self) -> Result<()> {
        check(unsafe { sys::mt_tensor_retain_grad(self.handle()) })
    }

    /// Accumulates the gradients of a tensor with one element into the leaves.
    pub fn backward(&self) -> Result<()> {
        backward(&[self], GraphOptions::default())
    }
}

/// Accumulates the gradients of the outputs into the leaves.
pub fn backward<T: Borrow<Tensor>>(outputs: &[T], options: GraphOptions) -> Result<()> {
    let (roots, seeds) = (handles(outputs), seeds_of(outputs.len(), options.seeds)?);
    let inputs = handles(options.inputs);
    check(unsafe {
        sys::mt_autograd_backward(
            roots.as_ptr(),
            pointer(&seeds),
            roots.len() as i64,
            i32::from(options.retain_graph || options.create_graph),
            i32::from(options.create_graph),
            inputs.as_ptr(),
            inputs.len() as i64,
        )
    })
}

/// The gradients of the outputs with respect to the inputs; accumulates none. Each is `None` only with `allow_unused`.
pub fn gradients<T: Borrow<Tensor>, U: Borrow<Tensor>>(
    outputs: &[T],
    inputs: &[U],
    options: GraphOptions,
) -> Result<Vec<Option<Tensor>>> {
    let (roots, seeds) = (handles(outputs), seeds_of(outputs.len(), options.seeds)?);
    let inputs = handles(inputs);
    let mut out = vec![std::ptr::null_mut(); inputs.len()];
    check(unsafe {
        sys::mt_autograd_grad(
            roots.as_ptr(),
            pointer(&seeds),
            roots.len() as i64,
            inputs.as_ptr(),
            inputs.len() as i64,
            i32::from(options.retain_graph || options.create_graph),
            i32::from(options.create_graph),
            i32::from(options.allow_unused),
            out.as_mut_ptr(),
        )
    })?;
    Ok(out.into_iter().map(Tensor::own_or_none).collect())
}

pub(crate) fn handles<T: Borrow<Tensor>>(tensors: &[T]) -> Vec<*mut sys::mt_tensor> {
    tensors.iter().map(|tensor| tensor.borrow().handle()).collect()
}

fn seeds_of(outputs: usize, seeds: &[Option<&Tensor>]) -> Result<Vec<*mut sys::mt_tensor>> {
    if seeds.is_empty() || seeds.len() == outputs {
        return Ok(optional_handles(seeds));
    }
    Err(Error::new(
        "ValueError",
        format!("there are {outputs} outputs and {} seeds", seeds.len()),
    ))
}

pub(crate) fn optional_handles(tensors: &[Option<&Tensor>]) -> Vec<*mut sys::mt_tensor> {
    tensors
        .iter()
        .map(|tensor| tensor.map_or(std::ptr::null_mut(), Tensor::handle))
        .collect()
}

/// NULL for an empty list.
fn pointer(list: &[*mut sys::mt_tensor]) -> *const *mut sys::mt_tensor {
    list.first().map_or(std::ptr::null(), |first| first)
}

// Inference mode sets the other two as well.
const MODES: [i32; 3] = [sys::MT_MODE_INFERENCE, sys::MT_MODE_GRAD, sys::MT_MODE_FORWARD_GRAD];

/// Restores the thread's modes when it is dropped, which must happen on the same thread.
#[must_use = "the mode ends when the guard is dropped"]
pub struct ModeGuard {
    before: [i32; 3],
    stays_on_its_thread: PhantomData<*const ()>,
}

impl ModeGuard {
    fn set(mode: i32, on: bool) -> ModeGuard {
        let mut before = [0; 3];
        for (mode, was_on) in MODES.into_iter().zip(&mut before) {
            check(unsafe { sys::mt_mode_get(mode, was_on) }).expect("the mode exists");
        }
        check(unsafe { sys::mt_mode_set(mode, i32::from(on)) }).expect("the mode exists");
        ModeGuard {
            before,
            stays_on_its_thread: PhantomData,
        }
    }
}

impl Drop for ModeGuard {
    fn drop(&mut self) {
        for (mode, was_on) in MODES.into_iter().zip(self.before) {
            unsafe { sys::mt_status_release(sys::mt_mode_set(mode, was_on)) };
        }
    }
}

/// Operators of this thread are not recorded until the guard is dropped: `let _guard = no_grad();`
pub fn no_grad() -> ModeGuard {
    ModeGuard::set(sys::MT_MODE_GRAD, false)
}

/// Operators of this thread are recorded until the guard is dropped, inside [`no_grad`].
pub fn enable_grad() -> ModeGuard {
    ModeGuard::set(sys::MT_MODE_GRAD, true)
}

/// New tensors of this thread are inference tensors until the guard is dropped: as [`no_grad`], with less bookkeeping.
pub fn inference_mode() -> ModeGuard {
    ModeGuard::set(sys::MT_MODE_INFERENCE, true)
}

/// Whether operators of this thread are recorded.
pub fn grad_enabled() -> bool {
    let mut on = 0;
    check(unsafe { sys::mt_mode_get(sys::MT_MODE_GRAD, &mut on) }).expect("the mode exists");
    on != 0
}
