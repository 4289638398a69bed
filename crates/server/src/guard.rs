//! Who may ask over loopback: programs with the token, and the page that the token's owner has opened.
//!
//! Every user and every page of every site can reach a port on loopback. So the host must be ours (a name that somebody
//! points at 127.0.0.1 is not), whoever asks must have the token or its cookie, and no other site may ask at all.

mod exchange;
mod guesses;
mod headers;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, Method,
        header::{AUTHORIZATION, COOKIE, HOST, ORIGIN, UPGRADE},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    code::Code,
    problem::{Failure, echo},
    token::Token,
};
use guesses::Guesses;
pub use headers::protect;

/// Who stands at the door.
pub struct Guard {
    token: Token,
    port: u16,
    guesses: Guesses,
}

/// By what somebody is known; stands beside a request that came over a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// A program's header, which no page of another site can set.
    Token,
    /// A browser's cookie, which a browser adds by itself.
    Cookie,
}

impl Guard {
    /// Guards a port.
    pub fn new(token: Token, port: u16) -> Self {
        Self { token, port, guesses: Guesses::new() }
    }

    /// Tells whether a request may go on, and by what its sender is known where that is needed.
    fn check(&self, request: &Request) -> Result<Option<Known>, Failure> {
        self.check_host(request)?;
        if !is_api(request.uri().path()) {
            // The page is the same for everybody and says nothing of any run.
            return Ok(None);
        }
        let headers = request.headers();
        let says_where = self.check_origin(headers)?;
        let known = self.check_known(headers)?;
        let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        let is_upgrade = headers.contains_key(UPGRADE);
        if known == Known::Cookie && (changes || is_upgrade) && !says_where {
            let hint = "use a browser of today, or send the token: authorization: Bearer TOKEN";
            return Err(Failure::new(Code::ForeignOrigin, "it is not said which page asks", hint));
        }
        Ok(Some(known))
    }

    /// The host must be an address of loopback with our port: a foreign name that leads here is an attack.
    fn check_host(&self, request: &Request) -> Result<(), Failure> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let is_ours = hosts.next().is_none() && host.is_some_and(|host| self.is_ours(host));
        let authority = request.uri().authority();
        if is_ours && authority.is_none_or(|authority| self.is_ours(authority.as_str())) {
            return Ok(());
        }
        let detail = match host {
            Some(host) => format!("'{}' is not this server", echo(host)),
            None => "it is not said for which host this is".to_owned(),
        };
        let hint = format!("ask 127.0.0.1:{} itself", self.port);
        Err(Failure::new(Code::WrongHost, detail, hint))
    }

    fn is_ours(&self, host: &str) -> bool {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let is = |name: &&str| host.strip_prefix(*name).is_some_and(|port| port == format!(":{}", self.port));
        names.iter().any(is)
    }

    /// No page but ours may ask. Returns whether the browser says which one does.
    fn check_origin(&self, headers: &HeaderMap) -> Result<bool, Failure> {
        let origin = headers.get(ORIGIN);
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_ours(host));
        let site = headers.get("sec-fetch-site");
        let is_near = |site: &[u8]| site == b"same-origin" || site == b"none";
        let origin_is_ours = origin.is_none_or(|origin| origin.to_str().is_ok_and(is_own));
        if origin_is_ours && site.is_none_or(|site| is_near(site.as_bytes())) {
            return Ok(origin.is_some() || site.is_some());
        }
        let hint = "only Jangdan's own page and programs with the token may ask";
        Err(Failure::new(Code::ForeignOrigin, "a page of another site asks", hint))
    }

    fn check_known(&self, headers: &HeaderMap) -> Result<Known, Failure> {
        if let Some(value) = headers.get(AUTHORIZATION) {
            let given = value.to_str().ok().and_then(|value| value.split_once(' '));
            let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let is_right = given.is_some_and(|(_, token)| self.token.is(token.trim()));
            return if is_right { Ok(Known::Token) } else { Err(self.wrong()) };
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut found = false;
        for (name, value) in cookies {
            if name == self.cookie_name() {
                found = true;
                // A page on another port could set one of the same name; ours is among them.
                if self.token.is_cookie(value) {
                    return Ok(Known::Cookie);
                }
            }
        }
        if found { Err(self.wrong()) } else { Err(no_token()) }
    }

    /// The port is part of the name: cookies do not know ports, and another Jangdan may have one of its own.
    fn cookie_name(&self) -> String {
        format!("jangdan_{}", self.port)
    }

    fn wrong(&self) -> Failure {
        match self.guesses.count() {
            Ok(()) => Failure::new(
                Code::WrongToken,
                "the token is not right",
                "open the link that `jangdan link` prints",
            ),
            Err(wait) => {
                let hint =
                    format!("wait {} s, then open the link that `jangdan link` prints", wait.as_secs() + 1);
                Failure::new(Code::TooManyGuesses, "too many wrong tokens came", hint)
            }
        }
    }
}

fn no_token() -> Failure {
    let hint = "open the link that `jangdan link` prints, or send the token: authorization: Bearer TOKEN";
    Failure::new(Code::NoToken, "it is not said who asks", hint)
}

/// Lets a request through, or says why not; a token in the address becomes a cookie.
pub async fn guard(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    match guard.check(&request) {
        Ok(Some(known)) => {
            request.extensions_mut().insert(known);
        }
        Ok(None) => {}
        Err(failure) => return failure.into_response(),
    }
    if let Some(answer) = guard.exchange(&request) {
        return answer;
    }
    next.run(request).await
}

fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}
