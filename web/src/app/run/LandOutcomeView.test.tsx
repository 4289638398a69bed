// @vitest-environment happy-dom
import i18next from "i18next";
import { expect, test } from "vitest";
import type { LandKind, LandReport } from "~/api/generated";
import { renderForTest, visibleText } from "~/components/renderForTest";
import en from "~/i18n/en.json";
import ko from "~/i18n/ko.json";
import { LandOutcomeView } from "./LandOutcomeView";
import { landMessage } from "./landMessage";
import { toLandOutcome } from "./toLandOutcome";

const texts = i18next.createInstance({
  resources: { en: { translation: en }, ko: { translation: ko } },
  interpolation: { escapeValue: false },
});
await texts.init();
const landed = (kind: LandKind): LandReport => ({
  type: "landed",
  branch: "main",
  commit: "ab",
  from: "cd",
  nCommits: 3,
  kind,
  isUnchecked: false,
});

test.each([
  ["fastForward", "fast-forward", "fast-forward"],
  ["merge", "merge commit", "병합 커밋"],
  ["rebase", "rebased", "리베이스"],
  ["squash", "as one commit", "커밋 하나"],
  [
    "mergeInsteadOfRebase",
    "merge commit, because the commits could not be rebased",
    "커밋을 리베이스할 수 없어 병합 커밋",
  ],
] as const)("the message names the kind of the merge: %s", (kind, inEnglish, inKorean) => {
  const message = (language: string) => landMessage(texts.getFixedT(language), toLandOutcome(landed(kind)));
  expect(message("en")).toBe(`Merged 3 commits into main (${inEnglish}).`);
  expect(message("ko")).toBe(`main 브랜치에 커밋 3개를 병합했습니다(${inKorean}).`);
});

const manualMerge = { start: ["git switch main", "git merge x"], finish: ["git commit"] };

test("a failed check shows its command, output and the way by hand", async () => {
  const outcome = toLandOutcome({
    type: "checkFailed",
    branch: "main",
    command: "make test",
    output: "2 failed\n",
    manualMerge,
  });
  const text = visibleText(await renderForTest(<LandOutcomeView outcome={outcome} />));
  for (const part of [
    "The branch was not changed.",
    "Check: make test",
    "2 failed",
    "git switch main",
    "git commit",
  ])
    expect(text).toContain(part);
});

test("a merged result without a check says so", () => {
  const outcome = toLandOutcome({ ...landed("merge"), isUnchecked: true } as LandReport);
  expect(landMessage(texts.getFixedT("en"), outcome)).toContain("was not checked");
});

test("a check that could not run says why", async () => {
  const obstacle = { type: "programNotFound", program: "just" } as const;
  const outcome = toLandOutcome({
    type: "checkNotRun",
    branch: "main",
    command: "just test",
    obstacle,
    output: "",
  });
  const text = visibleText(await renderForTest(<LandOutcomeView outcome={outcome} />));
  expect(text).toContain("Check: just test");
  expect(text).toContain("Could not run: just is not on PATH.");
});

test("a preview says which check will run", async () => {
  const plan = {
    type: "planned",
    branch: "main",
    from: "cd",
    nCommits: 1,
    kind: "merge",
    files: ["api.py"],
  } as const;
  const textWith = async (check: string | null) =>
    visibleText(
      await renderForTest(
        <LandOutcomeView
          outcome={toLandOutcome({ ...plan, files: [...plan.files], check, isUnchecked: check === null })}
        />,
      ),
    );
  expect(await textWith("make test")).toContain("the check make test runs on the merged result");
  expect(await textWith(null)).toContain("The merged result was not checked");
});
