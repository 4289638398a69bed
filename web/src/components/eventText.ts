import { useLocalizedText } from "./localizedText";

type EventText = Parameters<ReturnType<typeof useLocalizedText>>[0];

/** Events quote the beginning of what an agent said, which may be a protocol message with the key of its session. */
const KEYED_TAG = /\[(\/?[A-Z_]+)(\s*:\s*[^\]\s]+)?\s+[a-z0-9]{3,64}\]/g;

export const withoutKeys = (text: string): string =>
  text.replace(KEYED_TAG, (_, tag: string, target: string | undefined) => `[${tag}${target ?? ""}]`);

/** Returns a function for the text of an event in the language of the page. */
export function useEventText(): (event: EventText) => string {
  const localize = useLocalizedText();
  return (event) => withoutKeys(localize(event));
}
