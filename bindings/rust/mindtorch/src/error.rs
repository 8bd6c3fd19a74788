//! Errors: the library's statuses, with torch's kind and text.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use mindtorch_sys as sys;

pub type Result<T> = std::result::Result<T, Error>;

type Source = Arc<dyn std::error::Error + Send + Sync>;

/// A failure that the library reported.
#[derive(Clone)]
pub struct Error {
    kind: String,
    message: String,
    source: Option<Source>,
}

impl Error {
    /// An error of a Python-style kind, for callbacks to return.
    pub fn new(kind: &str, message: impl Into<String>) -> Error {
        Error {
            kind: kind.into(),
            message: message.into(),
            source: None,
        }
    }

    /// An error of another crate as a `RuntimeError` with its text; it comes out of the call that ran the callback as the source.
    pub fn from_error(error: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error {
            kind: "RuntimeError".into(),
            message: error.to_string(),
            source: Some(Arc::new(error)),
        }
    }

    /// Python's name for the error: `"RuntimeError"`, `"IndexError"`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Torch's text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}

/// Takes over a status; NULL is success.
pub(crate) fn check(status: *mut sys::mt_status) -> Result<()> {
    if status.is_null() {
        return Ok(());
    }
    // Safety: a status that is not NULL is the caller's until it is released.
    unsafe {
        let error = of_status(status);
        sys::mt_status_release(status);
        Err(error)
    }
}

/// Safety: the status is valid.
unsafe fn of_status(status: *const sys::mt_status) -> Error {
    let payload = sys::mt_status_payload_borrow(status) as usize;
    // A match would hold the lock that the cause needs too.
    let known = with_payloads(|known| known.get(&payload).cloned());
    let source = match known {
        Some(source) => source,
        None => {
            let cause = sys::mt_status_cause_borrow(status);
            (!cause.is_null()).then(|| Arc::new(of_status(cause)) as Source)
        }
    };
    Error {
        kind: text(sys::mt_status_kind(status)),
        message: text(sys::mt_status_message(status)),
        source,
    }
}

/// Sources of errors that callbacks returned, by the payload of their status. Another language's payloads are not among them.
static PAYLOADS: Mutex<Option<HashMap<usize, Option<Source>>>> = Mutex::new(None);

/// The function must not drop a source, whose own code may need the lock.
fn with_payloads<R>(using: impl FnOnce(&mut HashMap<usize, Option<Source>>) -> R) -> R {
    using(PAYLOADS.lock().unwrap().get_or_insert_with(HashMap::new))
}

/// The status of a callback's error.
pub(crate) fn status_of(error: Error) -> *mut sys::mt_status {
    let payload = Box::into_raw(Box::new(0u8));
    with_payloads(|known| known.insert(payload as usize, error.source));
    let whole = |text: &str| CString::new(text.replace('\0', "\u{fffd}")).expect("there is no NUL left");
    let (kind, message) = (whole(&error.kind), whole(&error.message));
    // Safety: `forget_payload` gets the payload once.
    unsafe { sys::mt_status_create_with_payload(kind.as_ptr(), message.as_ptr(), payload.cast(), Some(forget_payload)) }
}

unsafe extern "C" fn forget_payload(payload: *mut c_void) {
    let source = with_payloads(|known| known.remove(&(payload as usize)));
    drop(Box::from_raw(payload.cast::<u8>()));
    // The source's own code must not unwind into C.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(source)));
}

/// Safety: NULL, or text that ends with a NUL.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// Text for C, where it ends at the first NUL.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new("ValueError", format!("a text must not contain NUL: {text:?}")))
}
