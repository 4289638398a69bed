//! The part of HTTP/1.1 that agents need: one request per connection, responses whole or in chunks.

use std::io::{self, BufRead, BufReader, Read, Write};

/// More header fields than any agent sends.
const FIELDS_MAX: usize = 128;
/// Far larger than any conversation.
const BODY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// A parsed HTTP request.
#[derive(Debug)]
pub(crate) struct Request {
    /// `GET`, `POST`, …; in upper case.
    pub method: String,
    /// The path with the query.
    pub target: String,
    /// With names in lower case.
    pub headers: Vec<(String, String)>,
    /// Without the transfer encoding.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a request; `None` if the connection is closed before the first.
pub(crate) fn read_request(stream: &mut (impl Read + Write)) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
    }
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut parsed = httparse::Request::new(&mut fields);
    parsed.parse(&head).map_err(io::Error::other)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed
            .headers
            .iter()
            .map(|field| (field.name.to_ascii_lowercase(), text(field.value)))
            .collect(),
        body: Vec::new(),
    };
    if request.header("expect").is_some() {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        request.body = read_chunks(&mut reader)?;
    } else if let Some(length) = request.header("content-length").and_then(|value| value.parse::<u64>().ok())
    {
        reader.take(length.min(BODY_BYTES_MAX)).read_to_end(&mut request.body)?;
    }
    Ok(Some(request))
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        reader.by_ref().take(size.min(BODY_BYTES_MAX)).read_to_end(&mut body)?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Sends a response with its whole body.
pub(crate) fn respond(
    stream: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    let length = ("content-length".to_owned(), body.len().to_string());
    write_head(stream, status, "application/json", headers.iter().chain([&length]))?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Sends the head of a chunked response.
pub(crate) fn begin_stream(stream: &mut impl Write, headers: &[(String, String)]) -> io::Result<()> {
    let chunked = ("transfer-encoding".to_owned(), "chunked".to_owned());
    write_head(stream, 200, "text/event-stream", headers.iter().chain([&chunked]))?;
    stream.flush()
}

/// Sends a chunk; an empty one ends the response.
pub(crate) fn send_chunk(stream: &mut impl Write, chunk: &str) -> io::Result<()> {
    stream.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes())?;
    stream.flush()
}

fn write_head<'a>(
    stream: &mut impl Write,
    status: u16,
    kind: &str,
    headers: impl Iterator<Item = &'a (String, String)>,
) -> io::Result<()> {
    // One connection for each request, so that a cut one does not affect the others.
    let mut text = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {kind}\r\nconnection: close\r\n",
        reason_phrase(status)
    );
    headers.for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    text.push_str("\r\n");
    stream.write_all(text.as_bytes())
}

fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        529 => "Overloaded",
        _ => "Error",
    }
}
