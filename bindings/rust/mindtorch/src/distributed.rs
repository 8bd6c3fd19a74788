//! Processes that compute together: a store for the rendezvous, and groups with torch.distributed's collectives.

use std::mem::{size_of, zeroed};
use std::time::Duration;

use mindtorch_sys as sys;

use crate::autograd::handles;
use crate::error::{c_string, check, Result};
use crate::tensor::Tensor;

/// How a collective joins elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Reduction {
    #[default]
    Sum = sys::MT_SUM,
    Average = sys::MT_AVERAGE,
    Product = sys::MT_PRODUCT,
    Minimum = sys::MT_MINIMUM,
    Maximum = sys::MT_MAXIMUM,
}

/// A table of keys and values that processes share, compatible with torch's `TCPStore`.
pub struct Store {
    handle: *mut sys::mt_store,
}

// Safety: reference counts are atomic, and the library may be called from any thread.
unsafe impl Send for Store {}
unsafe impl Sync for Store {}

impl Drop for Store {
    fn drop(&mut self) {
        // Safety: self owns one reference.
        unsafe { sys::mt_store_release(self.handle) };
    }
}

impl Store {
    /// Connects to the server of `size` processes, which rank 0 runs, and waits for it.
    pub fn tcp(host: &str, port: u16, rank: i32, size: i32, timeout: Duration) -> Result<Store> {
        let host = c_string(host)?;
        // Safety: zeros are valid for the struct, and the text lives until the call returns.
        let mut options: sys::mt_tcp_store_options = unsafe { zeroed() };
        options.struct_size = size_of::<sys::mt_tcp_store_options>();
        options.host = host.as_ptr();
        options.port = i32::from(port);
        options.is_server = i32::from(rank == 0);
        options.world_size = i64::from(size);
        options.wait_for_workers = 1;
        options.timeout = milliseconds(timeout);
        let mut handle = std::ptr::null_mut();
        check(unsafe { sys::mt_store_tcp_create(&options, &mut handle) })?;
        Ok(Store { handle })
    }
}

/// Processes that call collectives together, in the same order. Every call waits for its end.
pub struct Group {
    handle: *mut sys::mt_group,
}

// Safety: as for the store.
unsafe impl Send for Group {}
unsafe impl Sync for Group {}

impl Drop for Group {
    fn drop(&mut self) {
        // Safety: self owns one reference.
        unsafe { sys::mt_group_release(self.handle) };
    }
}

impl Group {
    /// All members make this call with the same arguments except `rank`. The backend is `"gloo"`, or one for each type of device.
    pub fn new(backend: &str, store: &Store, rank: i32, size: i32, timeout: Duration) -> Result<Group> {
        let backend = c_string(backend)?;
        // Safety: as in Store::tcp; the group keeps its own reference to the store.
        let mut options: sys::mt_group_options = unsafe { zeroed() };
        options.struct_size = size_of::<sys::mt_group_options>();
        options.backend = backend.as_ptr();
        options.store = store.handle;
        options.rank = rank;
        options.size = size;
        options.timeout = milliseconds(timeout);
        let mut handle = std::ptr::null_mut();
        check(unsafe { sys::mt_group_create(&options, &mut handle) })?;
        Ok(Group { handle })
    }

    pub fn rank(&self) -> Result<i32> {
        let mut rank = 0;
        check(unsafe { sys::mt_group_rank(self.handle, &mut rank) })?;
        Ok(rank)
    }

    pub fn size(&self) -> Result<i32> {
        let mut size = 0;
        check(unsafe { sys::mt_group_size(self.handle, &mut size) })?;
        Ok(size)
    }

    /// Joins the elements of all members' tensors, which all get the result.
    pub fn all_reduce(&self, tensor: &Tensor, reduction: Reduction) -> Result<()> {
        self.run(sys::MT_ALL_REDUCE, reduction, 0, &[], &[tensor])
    }

    /// Joins the elements of all members' tensors; `root` gets the result.
    pub fn reduce(&self, tensor: &Tensor, root: i32, reduction: Reduction) -> Result<()> {
        self.run(sys::MT_REDUCE, reduction, root, &[], &[tensor])
    }

    /// Copies the tensor of `root` to all members' tensors.
    pub fn broadcast(&self, tensor: &Tensor, root: i32) -> Result<()> {
        self.run(sys::MT_BROADCAST, Reduction::Sum, root, &[], &[tensor])
    }

    /// Copies the members' tensors into `outputs`, one for each rank.
    pub fn all_gather(&self, outputs: &[&Tensor], input: &Tensor) -> Result<()> {
        self.run(sys::MT_ALL_GATHER, Reduction::Sum, 0, &[input], outputs)
    }

    /// Sends a tensor to a member, which receives it.
    pub fn send(&self, tensor: &Tensor, to: i32) -> Result<()> {
        self.run(sys::MT_SEND, Reduction::Sum, to, &[tensor], &[])
    }

    /// Receives a tensor from a member, into `tensor`.
    pub fn receive(&self, tensor: &Tensor, from: i32) -> Result<()> {
        self.run(sys::MT_RECEIVE, Reduction::Sum, from, &[], &[tensor])
    }

    /// Waits until all members are here.
    pub fn barrier(&self) -> Result<()> {
        self.run(sys::MT_BARRIER, Reduction::Sum, 0, &[], &[])
    }

    fn run(&self, kind: i32, reduction: Reduction, root: i32, inputs: &[&Tensor], outputs: &[&Tensor]) -> Result<()> {
        let (inputs, outputs) = (handles(inputs), handles(outputs));
        // Safety: zeros are valid for the struct; the lists live until the work has ended, for which this call waits.
        let mut what: sys::mt_collective = unsafe { zeroed() };
        what.struct_size = size_of::<sys::mt_collective>();
        what.kind = kind;
        what.reduction = reduction as i32;
        what.root = root;
        what.inputs = inputs.as_ptr();
        what.n_inputs = inputs.len() as i64;
        what.outputs = outputs.as_ptr();
        what.n_outputs = outputs.len() as i64;
        let mut work = std::ptr::null_mut();
        check(unsafe { sys::mt_group_start(self.handle, &what, &mut work) })?;
        let ended = check(unsafe { sys::mt_work_wait(work, 0) });
        unsafe { sys::mt_work_release(work) };
        ended
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
