//! Checkpoints: files of torch, safetensors, NumPy and GGUF.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};
use std::path::Path;

use mindtorch_sys as sys;

use crate::callbacks::guarded;
use crate::elements::Complex;
use crate::error::{c_string, check, text, Error, Result};
use crate::tensor::{list, Tensor};
use crate::types::{DType, Device, Layout, Storage};

/// The format of a file with tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Format {
    Safetensors = sys::MT_FORMAT_SAFETENSORS,
    Torch = sys::MT_FORMAT_TORCH,
    TorchLegacy = sys::MT_FORMAT_TORCH_LEGACY,
    Npy = sys::MT_FORMAT_NPY,
    Npz = sys::MT_FORMAT_NPZ,
    Gguf = sys::MT_FORMAT_GGUF,
}

/// An opened file. No code from a file runs.
pub struct Checkpoint {
    handle: *mut sys::mt_checkpoint,
}

// Safety: reference counts are atomic, and several threads may read from one checkpoint.
unsafe impl Send for Checkpoint {}
unsafe impl Sync for Checkpoint {}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        // Safety: self owns one reference.
        unsafe { sys::mt_checkpoint_release(self.handle) };
    }
}

/// How [`Checkpoint::open_with`] opens a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions<'a> {
    /// Tensors are copied to memory instead of mapped from the file.
    pub copy: bool,
    /// Dotted names of classes and functions that a pickle may use besides those that torch allows.
    pub allowed: &'a [&'a str],
}

/// A tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub dtype: DType,
    pub shape: Vec<i64>,
    pub nbytes: usize,
}

/// An object in a torch file.
#[derive(Clone)]
pub enum Object {
    None,
    Bool(bool),
    Int(i64),
    /// Little-endian two's complement of any length.
    BigInt(Vec<u8>),
    Float(f64),
    Complex(Complex<f64>),
    String(String),
    Bytes(Vec<u8>),
    /// Tuples, lists, sets and sizes.
    List(Vec<Object>),
    /// Keys and values in the file's order; of equal keys the last counts.
    Dict(Vec<(Object, Object)>),
    DType(DType),
    Layout(Layout),
    Device(Device),
    Storage(Storage),
    Tensor(Tensor),
    /// A class or a function by its dotted name.
    Global(String),
}

fn c_path(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::new("ValueError", "a path must not contain NUL"))
}

fn c_strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<(Vec<CString>, Vec<*const c_char>)> {
    let owned = texts.into_iter().map(c_string).collect::<Result<Vec<CString>>>()?;
    let pointers = owned.iter().map(|text| text.as_ptr()).collect();
    Ok((owned, pointers))
}

/// A struct of the C ABI with its size and zeros.
macro_rules! sized {
    ($kind:ident) => {{
        // Safety: zeros are valid for structs of numbers and pointers.
        let mut out: sys::$kind = unsafe { std::mem::zeroed() };
        out.struct_size = std::mem::size_of::<sys::$kind>();
        out
    }};
}

impl Checkpoint {
    /// Opens a file of any format and reads names, shapes and dtypes, no elements. Tensors in a nested object have the path of keys and
    /// indices as their name, joined by dots.
    pub fn open(path: impl AsRef<Path>) -> Result<Checkpoint> {
        Checkpoint::open_with(path, OpenOptions::default())
    }

    pub fn open_with(path: impl AsRef<Path>, options: OpenOptions) -> Result<Checkpoint> {
        let path = c_path(path.as_ref())?;
        let (_owned, allowed) = c_strings(options.allowed.iter().copied())?;
        let mut settings = sized!(mt_checkpoint_options);
        settings.access = if options.copy {
            sys::MT_READ_COPY
        } else {
            sys::MT_READ_MAP
        };
        settings.allowed = allowed.as_ptr();
        settings.n_allowed = allowed.len() as i64;
        let mut handle = std::ptr::null_mut();
        // Safety: all texts end with a NUL and live during the call; the same holds below.
        check(unsafe { sys::mt_checkpoint_open(path.as_ptr(), &settings, &mut handle) })?;
        Ok(Checkpoint { handle })
    }

    fn info(&self) -> sys::mt_checkpoint_info {
        let mut info = sized!(mt_checkpoint_info);
        check(unsafe { sys::mt_checkpoint_get_info(self.handle, &mut info) })
            .expect("an open checkpoint can be described");
        info
    }

    /// The format of the file; `None` for one that this crate does not know.
    pub fn format(&self) -> Option<Format> {
        let all = [
            Format::Safetensors,
            Format::Torch,
            Format::TorchLegacy,
            Format::Npy,
            Format::Npz,
            Format::Gguf,
        ];
        let number = self.info().format;
        all.into_iter().find(|&format| format as i32 == number)
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        self.info().n_tensors as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Describes all tensors in the order of the file.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        (0..self.len()).map(|index| self.entry(index)).collect()
    }

    fn entry(&self, index: usize) -> Result<Entry> {
        let mut entry = sized!(mt_checkpoint_entry);
        // Safety: name and sizes are valid as long as the checkpoint.
        unsafe {
            check(sys::mt_checkpoint_get_entry(self.handle, index as i64, &mut entry))?;
            Ok(Entry {
                name: text(entry.name),
                dtype: DType::from_raw(i64::from(entry.dtype))?,
                shape: list(entry.sizes, entry.ndim),
                nbytes: entry.nbytes as usize,
            })
        }
    }

    /// Reads the tensor at an index.
    pub fn at(&self, index: usize) -> Result<Tensor> {
        let mut out = std::ptr::null_mut();
        check(unsafe { sys::mt_checkpoint_read(self.handle, index as i64, &mut out) })?;
        Ok(Tensor::own(out))
    }

    /// Reads the tensor with a name; a name that the file lacks is a `KeyError`.
    pub fn get(&self, name: &str) -> Result<Tensor> {
        let mut index = 0;
        check(unsafe { sys::mt_checkpoint_find(self.handle, c_string(name)?.as_ptr(), &mut index) })?;
        match usize::try_from(index) {
            Ok(index) => self.at(index),
            Err(_) => Err(Error::new(
                "KeyError",
                format!("the checkpoint has no tensor named '{name}'"),
            )),
        }
    }

    /// Reads all tensors, in the order of the file.
    pub fn tensors(&self) -> Result<Vec<(String, Tensor)>> {
        (0..self.len())
            .map(|index| Ok((self.entry(index)?.name, self.at(index)?)))
            .collect()
    }

    /// The pairs of strings in the file.
    pub fn metadata(&self) -> Result<HashMap<String, String>> {
        let mut out = HashMap::new();
        for index in 0..self.info().n_metadata {
            let (mut key, mut value) = (std::ptr::null(), std::ptr::null());
            // Safety: the texts are valid as long as the checkpoint.
            unsafe {
                check(sys::mt_checkpoint_metadata(self.handle, index, &mut key, &mut value))?;
                out.insert(text(key), text(value));
            }
        }
        Ok(out)
    }

    /// The object in a torch file, `None` for other formats. Instances of classes are errors, and so are containers in themselves, more
    /// than 500 containers in one another, and more than 32 MiB for objects that the file shares, which are copied for each use.
    pub fn object(&self) -> Result<Option<Object>> {
        let mut root = std::ptr::null();
        check(unsafe { sys::mt_checkpoint_root_borrow(self.handle, &mut root) })?;
        if root.is_null() {
            return Ok(None);
        }
        self.item(root, &mut Nesting::default()).map(Some)
    }

    fn item(&self, item: *const sys::mt_item, nesting: &mut Nesting) -> Result<Object> {
        let mut info = sized!(mt_item_info);
        // Safety: items, and what they point to, are valid as long as the checkpoint.
        let children = unsafe {
            check(sys::mt_item_get_info(item, &mut info))?;
            bytes(info.items, info.n_items)
        };
        nesting.note(item, info.text_size as usize + children.len() * size_of::<Object>())?;
        let is_dict = match info.kind {
            sys::MT_ITEM_TUPLE | sys::MT_ITEM_LIST | sys::MT_ITEM_SET | sys::MT_ITEM_SIZE => false,
            sys::MT_ITEM_DICT | sys::MT_ITEM_ORDERED_DICT | sys::MT_ITEM_COUNTER => true,
            _ => return self.leaf(item, &info),
        };
        nesting.open(item)?;
        let mut objects = Vec::with_capacity(children.len());
        for &child in children {
            objects.push(self.item(child, nesting)?); // a loop, because an iterator's frames would fill a small stack
        }
        nesting.open.pop();
        Ok(if is_dict {
            dict_of(objects)
        } else {
            Object::List(objects)
        })
    }

    fn leaf(&self, item: *const sys::mt_item, info: &sys::mt_item_info) -> Result<Object> {
        // Safety: as above.
        let bytes = unsafe { bytes(info.text.cast(), info.text_size) };
        let string = || String::from_utf8_lossy(bytes).into_owned();
        Ok(match info.kind {
            sys::MT_ITEM_NONE => Object::None,
            sys::MT_ITEM_BOOL => Object::Bool(info.integer != 0),
            sys::MT_ITEM_INT => Object::Int(info.integer),
            sys::MT_ITEM_BIG_INT => Object::BigInt(bytes.to_vec()),
            sys::MT_ITEM_FLOAT => Object::Float(info.real[0]),
            sys::MT_ITEM_COMPLEX => Object::Complex(Complex {
                re: info.real[0],
                im: info.real[1],
            }),
            sys::MT_ITEM_STRING => Object::String(string()),
            sys::MT_ITEM_GLOBAL => Object::Global(string()),
            sys::MT_ITEM_BYTES | sys::MT_ITEM_BYTEARRAY => Object::Bytes(bytes.to_vec()),
            sys::MT_ITEM_DTYPE => Object::DType(DType::from_raw(info.integer)?),
            sys::MT_ITEM_LAYOUT => Object::Layout(Layout::from_raw(info.integer)?),
            sys::MT_ITEM_DEVICE => Object::Device(Device::parse(&string())?),
            sys::MT_ITEM_TENSOR | sys::MT_ITEM_PARAMETER => {
                let mut out = std::ptr::null_mut();
                check(unsafe { sys::mt_checkpoint_read_item(self.handle, item, &mut out) })?;
                Object::Tensor(Tensor::own(out))
            }
            sys::MT_ITEM_STORAGE => {
                let mut handle = std::ptr::null_mut();
                check(unsafe { sys::mt_checkpoint_read_storage(self.handle, item, &mut handle) })?;
                Object::Storage(Storage { handle })
            }
            _ => return Err(Error::new("TypeError", "the file contains an instance of a class")),
        })
    }
}

fn dict_of(objects: Vec<Object>) -> Object {
    let mut objects = objects.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (objects.next(), objects.next()) {
        pairs.push((key, value));
    }
    Object::Dict(pairs)
}

/// Reading and dropping an object recurse, also on threads with small stacks.
const DEEPEST: usize = 500;
const MOST_COPIED: usize = 32 << 20;

/// Where `Checkpoint::object` is in the file's graph, of which it makes a tree.
#[derive(Default)]
struct Nesting {
    open: Vec<*const sys::mt_item>,
    seen: HashSet<*const sys::mt_item>,
    /// Bytes of the copies of items seen before.
    copied: usize,
}

impl Nesting {
    fn open(&mut self, container: *const sys::mt_item) -> Result<()> {
        if self.open.contains(&container) {
            return Err(Error::new("ValueError", "a container in the file contains itself"));
        }
        if self.open.len() == DEEPEST {
            let words = format!("the file has more than {DEEPEST} containers in one another");
            return Err(Error::new("ValueError", words));
        }
        self.open.push(container);
        Ok(())
    }

    /// Counts an item that gets `size` bytes. A container's size includes the places of what is in it.
    fn note(&mut self, item: *const sys::mt_item, size: usize) -> Result<()> {
        if size == 0 || self.seen.insert(item) {
            return Ok(());
        }
        self.copied += size;
        if self.copied > MOST_COPIED {
            let words = format!(
                "copies of the objects that the file shares need more than {} MiB",
                MOST_COPIED >> 20
            );
            return Err(Error::new("ValueError", words));
        }
        Ok(())
    }
}

/// Safety: `data` points to `n` items, or n is 0.
unsafe fn bytes<'a, T>(data: *const T, n: i64) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, n as usize)
}

/// Reads all tensors of a file into memory.
pub fn load(path: impl AsRef<Path>) -> Result<HashMap<String, Tensor>> {
    let checkpoint = Checkpoint::open_with(
        path,
        OpenOptions {
            copy: true,
            ..Default::default()
        },
    )?;
    Ok(checkpoint.tensors()?.into_iter().collect())
}

/// How [`save`] writes a file.
#[derive(Clone, Copy, Default)]
pub struct SaveOptions<'a> {
    /// `Safetensors` (also for `None`) or `Torch`.
    pub format: Option<Format>,
    /// A power failure soon afterwards may lose the new file.
    pub without_sync: bool,
    /// Keys and values, for safetensors.
    pub metadata: &'a [(&'a str, &'a str)],
    /// Gets the bytes written and the bytes in all; an error ends the save, which keeps the old file.
    pub progress: Option<&'a dyn Fn(i64, i64) -> Result<()>>,
}

/// Saves tensors under their names, in their order. A failed save keeps the old file.
pub fn save<N: AsRef<str>, T: Borrow<Tensor>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, T)>,
    options: SaveOptions,
) -> Result<()> {
    struct Dict(*mut sys::mt_tensor_dict);
    impl Drop for Dict {
        fn drop(&mut self) {
            // Safety: self owns one reference.
            unsafe { sys::mt_tensor_dict_release(self.0) };
        }
    }
    let mut dict = Dict(std::ptr::null_mut());
    check(unsafe { sys::mt_tensor_dict_create(&mut dict.0) })?;
    for (name, tensor) in tensors {
        let name = c_string(name.as_ref())?;
        check(unsafe { sys::mt_tensor_dict_set(dict.0, name.as_ptr(), tensor.borrow().handle()) })?;
    }
    let path = c_path(path.as_ref())?;
    let (_owned, metadata) = c_strings(options.metadata.iter().flat_map(|&(key, value)| [key, value]))?;
    let mut settings = sized!(mt_save_options);
    settings.format = options.format.map_or(0, |format| format as i32);
    settings.without_sync = i32::from(options.without_sync);
    settings.metadata = metadata.as_ptr();
    settings.n_metadata = options.metadata.len() as i64;
    let mut progress = options.progress;
    if progress.is_some() {
        settings.progress = Some(run_progress);
        settings.user = (&mut progress as *mut Option<&dyn Fn(i64, i64) -> Result<()>>).cast::<c_void>();
    }
    check(unsafe { sys::mt_checkpoint_save(path.as_ptr(), dict.0, &settings) })
}

unsafe extern "C" fn run_progress(user: *mut c_void, done: i64, total: i64) -> *mut sys::mt_status {
    let progress = &*user.cast::<Option<&dyn Fn(i64, i64) -> Result<()>>>();
    guarded(|| progress.map_or(Ok(()), |progress| progress(done, total)))
}
