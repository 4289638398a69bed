interface SayLineProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A line for what a person may say to what is asked; its label stands in it. */
export function SayLine({ label, value, onChange }: SayLineProps) {
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
