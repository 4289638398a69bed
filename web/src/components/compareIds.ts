/** Compares ids in the order of their numbers: T2 before T10. */
export function compareIds(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}
