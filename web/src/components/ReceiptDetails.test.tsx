// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { LeftOutFiles, Receipt } from "~/api/generated";
import { ReceiptDetails } from "./ReceiptDetails";
import { renderForTest, visibleText } from "./renderForTest";

const RECEIPT: Receipt = {
  command: "make test",
  exitStatus: 0,
  attempts: 1,
  outputHash: "0123456789abcdef0123",
  outputTail: "",
  tree: "fedcba9876543210",
  startedAt: 1_000,
  finishedAt: 3_200,
};
const LEFT_OUT: LeftOutFiles = {
  large: [{ path: "data.bin", bytes: 20 * 2 ** 20 }],
  changedByCheck: ["coverage.xml", "report/"],
  nUnlisted: 0,
};

test.each([
  [
    "en",
    ["Left out: data.bin (20.0 MiB)", "Changed by the check, not part of the work: coverage.xml, report/"],
  ],
  [
    "ko",
    ["제외된 파일: data.bin (20.0 MiB)", "검증이 바꾼 파일(결과에 포함되지 않음): coverage.xml, report/"],
  ],
] as const)(
  "a receipt lists the files that are not part of the checked work (%s)",
  async (language, parts) => {
    const receipt = { ...RECEIPT, leftOut: LEFT_OUT };
    const text = visibleText(await renderForTest(<ReceiptDetails receipt={receipt} passed />, language));
    for (const part of parts) expect(text).toContain(part);
    const plain = visibleText(await renderForTest(<ReceiptDetails receipt={RECEIPT} passed />, language));
    expect(plain).not.toContain("data.bin");
  },
);
