//! What a process asks of the network. The kubelet hands the requests on and brings the answers back; a process waits meanwhile.

/// A request of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Asks the cluster's DNS for a name.
    Resolve {
        /// The name.
        name: String,
    },
    /// Opens a TCP connection.
    Connect {
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
        /// The seconds after which it gives up, 0 for the program's own default.
        timeout: i64,
    },
    /// Sends an HTTP request.
    Http {
        /// `GET`, `POST` …
        method: String,
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
        /// The path, with its query.
        path: String,
        /// The seconds after which it gives up, 0 for the program's own default.
        timeout: i64,
    },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The addresses of a name, and the full name that was found.
    Addresses(String, Vec<String>),
    /// The connection is open.
    Connected,
    /// An HTTP response: the address that answered, status and body.
    Http(String, u16, String),
    /// There is no such name.
    NoName,
    /// Nobody listens there: the address.
    Refused(String),
    /// Nobody answered in time: the address.
    Timeout(String),
    /// The playground has no network for this request; the text says why.
    Absent(String),
}
