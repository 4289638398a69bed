interface CommentInputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text field for a reason or a hint; its label is the placeholder. */
export function CommentInput({ label, value, onChange }: CommentInputProps) {
  return (
    <input
      data-answer
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="min-h-8 rounded-lg border border-ask-line bg-panel px-2.5 py-1.5 placeholder:text-faint max-md:min-h-10"
    />
  );
}
