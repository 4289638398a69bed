export function formatTokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} k`;
  return `${(n / 1_000_000).toFixed(2)} M`;
}

export function formatMoney(micros: number): string {
  if (micros > 0 && micros < 10_000) return "< $0.01";
  return `$${(micros / 1_000_000).toFixed(2)}`;
}

export function formatBytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1 << 20) return `${Math.round(n / 1024)} KiB`;
  return `${(n / (1 << 20)).toFixed(1)} MiB`;
}
