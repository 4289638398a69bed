//! The files of the web page, embedded by the build script.
//!
//! If the page could not be built, the only file is a page that explains how to build it.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// One file of the page.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Path without leading slash, such as `index.html`.
    pub path: &'static str,
    pub content_type: &'static str,
    pub etag: &'static str,
    /// Whether its name contains a hash of its content.
    pub is_immutable: bool,
    pub plain: &'static [u8],
    pub brotli: Option<&'static [u8]>,
    pub gzip: Option<&'static [u8]>,
}

pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    // Invariant: the build script sorts the files by path.
    let at = ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok()?;
    ASSETS.get(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_paths_are_found() {
        for asset in ASSETS {
            assert_eq!(find(asset.path).map(|asset| asset.etag), Some(asset.etag), "{}", asset.path);
        }
        for name in ["", "/index.html", "index.htm", "../index.html", "index.html.br"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn index_exists_in_every_build() {
        let index = find("index.html").expect("the build script writes one");
        assert_eq!(index.content_type, "text/html; charset=utf-8");
        assert!(!index.is_immutable);
        assert!(!index.plain.is_empty());
    }

    #[test]
    fn page_needs_no_inline_script_or_style() {
        let index = String::from_utf8_lossy(find("index.html").expect("the build script writes one").plain);
        for (start, _) in index.match_indices("<script") {
            let tag = index[start..].split('>').next().expect("split returns at least one part");
            assert!(tag.contains(" src="), "an inline script: {tag}");
        }
        assert!(!index.contains("<style"), "an inline style");
    }

    #[test]
    fn first_load_is_at_most_200_kib() {
        // The browser fetches the page and every file that it names before the first view.
        let index = find("index.html").expect("the build script writes one");
        let text = String::from_utf8_lossy(index.plain);
        let first_load =
            ASSETS.iter().filter(|asset| asset.path == "index.html" || text.contains(asset.path));
        let n_bytes: usize = first_load.map(|asset| asset.gzip.unwrap_or(asset.plain).len()).sum();
        assert!(n_bytes <= 200 * 1024, "{n_bytes} bytes");
    }
}
