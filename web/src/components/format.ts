export function formatTokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} k`;
  return `${(n / 1_000_000).toFixed(2)} M`;
}

export function formatMoney(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(2)}`;
}

export function formatMebibytes(bytes: number): string {
  return `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;
}
