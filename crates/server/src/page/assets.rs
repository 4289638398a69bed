//! The files of the web page, embedded by the build script.
//!
//! If the page could not be built, the only file is a page that says how to build it.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// One file of the page.
#[derive(Debug)]
pub struct Asset {
    /// Where it is, without a slash in front, e.g. `index.html`.
    pub path: &'static str,
    /// What it is, as `content-type` says it.
    pub content_type: &'static str,
    /// A mark of its content, as `etag` says it.
    pub etag: &'static str,
    /// Whether its content never changes under this name.
    pub is_immutable: bool,
    /// Its bytes.
    pub plain: &'static [u8],
    /// Its bytes, made smaller by Brotli.
    pub brotli: Option<&'static [u8]>,
    /// Its bytes, made smaller by gzip.
    pub gzip: Option<&'static [u8]>,
}

/// Returns the file of that name.
pub fn find(path: &str) -> Option<&'static Asset> {
    // Invariant: the build script sorts them.
    let at = ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok()?;
    ASSETS.get(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_by_its_name_and_no_other_is() {
        for asset in ASSETS {
            assert_eq!(find(asset.path).map(|found| found.etag), Some(asset.etag), "{}", asset.path);
        }
        for name in ["", "/index.html", "index.htm", "../index.html", "index.html.br"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn there_is_always_a_page() {
        let index = find("index.html").expect("the build script writes one");
        assert_eq!(index.content_type, "text/html; charset=utf-8");
        assert!(!index.is_immutable);
        assert!(!index.plain.is_empty());
    }

    #[test]
    fn nothing_in_the_page_needs_a_weaker_content_policy() {
        let index = String::from_utf8_lossy(find("index.html").expect("there is one").plain);
        for (place, _) in index.match_indices("<script") {
            let tag = index[place..].split('>').next().expect("a part");
            assert!(tag.contains(" src="), "an inline script: {tag}");
        }
        assert!(!index.contains("<style"), "an inline style");
    }

    #[test]
    fn the_first_load_is_small() {
        // What the browser fetches before the first view: the page itself, and all that it names.
        let index = find("index.html").expect("there is one");
        let text = String::from_utf8_lossy(index.plain);
        let named = ASSETS.iter().filter(|asset| asset.path == "index.html" || text.contains(asset.path));
        let n_bytes: usize = named.map(|asset| asset.gzip.unwrap_or(asset.plain).len()).sum();
        assert!(n_bytes <= 200 * 1024, "{n_bytes} bytes");
    }
}
