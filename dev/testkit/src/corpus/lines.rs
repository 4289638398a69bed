//! Lines that are not messages: output of compilers, test runners, editors and models.

use super::{
    Writer,
    paint::{self, Paint},
};

/// In the templates `w` stands for a word, `n` for a number, `p` for a path, `h` for a hash, each in braces.
const BUILD: [&str; 14] = [
    "   Compiling {w} v{n}.{n}.{n}",
    "warning: unused variable: `{w}`",
    "  --> {p}:{n}:{n}",
    "    Finished `dev` profile [unoptimized + debuginfo] target(s) in {n}.{n}s",
    "[INFO] Building {w}-{w} {n}.{n}-SNAPSHOT [{n}/{n}]",
    "[INFO] --- maven-{w}-plugin:{n}.{n}:{w} (default-{w}) @ {w} ---",
    "[WARNING] {p}: {w} has been deprecated since {n}.{n}",
    "npm warn deprecated {w}@{n}.{n}.{n}: use {w} instead, see the notes of version {n}",
    "PASS {p} ({n}.{n} s)",
    "test {w}::{w}::{w}_{w} ... ok",
    "test result: ok. {n} passed; 0 failed; {n} ignored; 0 measured; finished in {n}.{n}s",
    "2026-03-{n}T10:{n}:{n}.{n}Z INFO {w}::{w}: request finished status=200 latency_ms={n} id={h}",
    "ERROR:root:{w} could not be reached after {n} tries",
    "{h} {w}: {w} the {w} before the {w} is read (#{n})",
];

const DIFF: [&str; 8] = [
    "diff --git a/{p} b/{p}",
    "index {h}..{h} 100644",
    "@@ -{n},{n} +{n},{n} @@ fn {w}_{w}(&mut self) -> Result<(), {w}::Error> {",
    "-    let {w} = self.{w}.get(&{w}).cloned().unwrap_or_default();",
    "+    let Some({w}) = self.{w}.get(&{w}) else { return Ok(()) };",
    "     for ({w}, {w}) in self.{w}.iter().enumerate() {",
    "         {w}.push({w}[{n}]);",
    "     }",
];

const CODE: [&str; 8] = [
    "export async function {w}({w}: string, options: Options = {}): Promise<{w}[]> {",
    "  const {w} = await fetch(`/api/{w}/${id}?page={n}`, { headers });",
    "  if (!{w}.ok) throw new Error(`{w} failed: ${{w}.status}`);",
    "  return {w}.map(({w}) => ({ ...{w}, {w}: {w}.{w} ?? {n} }));",
    "}",
    "        self.{w}[{n}] = {w}(self.{w}, key=lambda {w}: {w}[\"{w}\"])",
    "SELECT {w}, count(*) FROM {w} WHERE {w} > {n} GROUP BY {w} ORDER BY 2 DESC LIMIT {n};",
    "    \"{w}\": { \"version\": \"{n}.{n}.{n}\", \"{w}\": [\"{w}\", \"{w}\"], \"enabled\": true },",
];

const PROSE: [&str; 9] = [
    "I'll read {p} first, then change the {w} so that the {w} is checked before it is used.",
    "The {w} fails because the {w} returns early when {w} is empty. Let me look at the caller in {p}.",
    "Now the tests: {n} pass, {n} fail. The failing ones all go through the {w} of the {w}.",
    "- **{w}**: moved to {p}, no change in behaviour",
    "- `{w}` takes {n} ms instead of {n} ms on the {w} with {n} entries",
    "## What changed in the {w}",
    "> The {w} must not be called twice; see the note in {p}.",
    "{n}. Run the {w} again and compare the {w} with the one from before.",
    "That leaves one question about the {w} [see {p}], which I will come back to after the {w}.",
];

const TOOLS: [&str; 7] = [
    "Read({p})",
    "Bash(cargo test -p {w} {w}::{w} -- --nocapture)",
    "drwxr-xr-x  {n} user user     4096 Mar {n} 10:{n} {w}",
    "{p}:{n}:    pub fn {w}(&self, {w}: &{w}) -> Option<&{w}> {",
    "{\"event\":\"{w}\",\"id\":\"{h}\",\"tokens\":{n},\"path\":\"{p}\",\"ok\":true}",
    "remote: Resolving deltas: 100% ({n}/{n}), completed with {n} local objects.",
    "Tokens: {n} in, {n} out. Time: {n} s. Context left: {n}%",
];

/// Lines that are mostly outside ASCII.
const BEYOND_ASCII: [&str; 14] = [
    "로그인 화면의 {w} 값이 비어 있어서 요청이 두 번 나갑니다. {p} 파일부터 확인하겠습니다.",
    "테스트 {n}개 중 {n}개가 통과했습니다. 남은 것은 결제 모듈의 시간대 처리입니다.",
    "데이터베이스 마이그레이션을 먼저 적용하고, 그다음에 서버를 다시 시작해야 합니다.",
    "뛰어난 방법은 아니지만, 지금 구조에서는 캐시를 한 단계 더 두는 편이 가장 안전합니다.",
    "- 사용자 설정을 읽는 함수는 `{w}` 하나로 합쳤습니다",
    "┌──────────────┬──────────────┬──────────┐",
    "├──────────────┼──────────────┼──────────┤",
    "└──────────────┴──────────────┴──────────┘",
    "│ {w} │ {n} ms │ 통과 │",
    "╭─ {w} ─────────────────────────────────────────╮",
    "⏺ {w}({p}) ⎿ {n}줄 추가, {n}줄 삭제 ✅",
    "✓ {w} → {w} 완료 ({n} ms) 🎉",
    "━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸          {n}/{n} MB",
    "⚠️  경고: {w} 모듈이 오래된 설정을 쓰고 있습니다 (버전 {n})",
];

const WORDS: [&str; 40] = [
    "session",
    "parser",
    "worker",
    "index",
    "request",
    "handler",
    "cache",
    "token",
    "buffer",
    "schema",
    "router",
    "login",
    "payment",
    "migration",
    "scheduler",
    "queue",
    "report",
    "config",
    "user",
    "order",
    "invoice",
    "event",
    "stream",
    "client",
    "server",
    "view",
    "model",
    "store",
    "result",
    "entry",
    "cursor",
    "window",
    "retry",
    "limit",
    "budget",
    "merge",
    "branch",
    "commit",
    "review",
    "gate",
];

const PATHS: [&str; 10] = [
    "src/main.rs",
    "crates/protocol/src/lib.rs",
    "web/src/features/board/Board.tsx",
    "tests/login_test.py",
    "docs/api.md",
    "app/models/order.rb",
    "internal/queue/worker.go",
    "src/components/LoginForm.vue",
    "db/migrations/0042_users.sql",
    "packages/core/src/index.ts",
];

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"];

/// Writes one or more lines.
pub(super) fn write(writer: &mut Writer) {
    if writer.lacks_edited_lines() && writer.random.once_in(4) {
        writer.counts.edited_lines += 1;
        write_edited_line(writer);
    } else if writer.random.once_in(40) {
        write_code_block(writer);
    } else if writer.random.once_in(30) {
        writer.write_newline();
    } else {
        write_plain_line(writer);
    }
}

/// Writes a line of the kind that the shares need.
fn write_plain_line(writer: &mut Writer) {
    let templates: &[&str] = match writer.random.below(10) {
        _ if writer.lacks_non_ascii() => &BEYOND_ASCII,
        0..3 => &BUILD,
        3..5 => &DIFF,
        5 => &CODE,
        6..9 => &PROSE,
        _ => &TOOLS,
    };
    let template = writer.random.pick(templates);
    let line = fill_template(writer, template);
    let paint = paint::choose(writer);
    paint::write(writer, &line, paint);
    if writer.random.once_in(60) {
        paint::write_invisible_sequence(writer);
    }
    writer.write_newline();
}

/// Writes a fenced code block, closed.
fn write_code_block(writer: &mut Writer) {
    let language = writer.random.pick(&["```ts", "```rust", "```", "~~~sql"]);
    writer.write_text(language);
    writer.write_newline();
    for _ in 0..3 + writer.random.below(6) {
        let template = writer.random.pick(&CODE);
        let line = fill_template(writer, template);
        let paint = paint::choose(writer);
        paint::write(writer, &line, paint);
        writer.write_newline();
    }
    writer.write_text(&language[..3]);
    writer.write_newline();
}

/// Writes a line that is edited in place.
fn write_edited_line(writer: &mut Writer) {
    let word = writer.random.pick(&WORDS);
    match writer.random.below(5) {
        0 => {
            // A spinner: every frame overwrites the one before it.
            for _ in 0..2 + writer.random.below(6) {
                let sign = writer.random.pick(&SPINNER);
                writer.write_text("\r");
                writer.write_escape("\x1b[36m");
                writer.write_text(sign);
                writer.write_escape("\x1b[0m");
                writer.write_text(&format!(" Thinking about the {word}… "));
                writer.write_escape("\x1b[K");
            }
        }
        1 => {
            // A progress bar.
            for step in 1..4 + writer.random.below(4) {
                writer.write_text(&format!("\r{word} [{:<8}] {:>3}%", "#".repeat(step), step * 12));
            }
        }
        2 => {
            // Package managers clear the line and start again.
            writer.write_text(&format!("fetching {word}"));
            writer.write_escape("\x1b[2K");
            writer.write_escape("\x1b[1G");
            let number = writer.random.below(400);
            writer.write_text(&format!("added {number} packages, and audited {} in 3s", number * 2));
        }
        3 => {
            // Search results end each match with an erase.
            let path = writer.random.pick(&PATHS);
            writer.write_escape("\x1b[35m\x1b[K");
            writer.write_text(path);
            writer.write_escape("\x1b[m\x1b[K");
            writer.write_text(&format!(":  let {word} = "));
            writer.write_escape("\x1b[01;31m\x1b[K");
            writer.write_text(word);
            writer.write_escape("\x1b[m\x1b[K");
            writer.write_text("_default();");
        }
        _ => {
            // A shell prompt with a corrected typing mistake.
            writer.write_text(&format!("$ cargo tets\x08\x08st -p {word}"));
            if writer.random.once_in(2) {
                writer.write_escape("\x1b[4D");
                writer.write_escape("\x1b[2P");
            }
        }
    }
    writer.write_newline();
}

/// Fills the placeholders of a template.
pub(super) fn fill_template(writer: &mut Writer, template: &str) -> String {
    let mut line = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        line.push_str(before);
        let placeholder = after.get(..2).unwrap_or("");
        match placeholder {
            "w}" => line.push_str(writer.random.pick(&WORDS)),
            "p}" => line.push_str(writer.random.pick(&PATHS)),
            "n}" => line.push_str(&writer.random.below(500).to_string()),
            "h}" => line.push_str(&format!("{:07x}", writer.random.below(1 << 28))),
            _ => {
                line.push('{');
                rest = after;
                continue;
            }
        }
        rest = &after[2..];
    }
    line.push_str(rest);
    line
}

/// Writes a line in the given colours, with its newline.
pub(super) fn write_line(writer: &mut Writer, text: &str, paint: Paint) {
    paint::write(writer, text, paint);
    writer.write_newline();
}
