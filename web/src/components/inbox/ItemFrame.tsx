import { createContext, type ReactNode, useContext } from "react";

type ItemParts = {
  /** What the decision is about. */
  details: ReactNode;
  /** The options, fields and buttons. */
  answer: ReactNode;
};

/** How the parts of a form are laid out: one below the other, unless a view pins the answer. */
const ItemLayout = createContext<(parts: ItemParts) => ReactNode>(({ details, answer }) => (
  <>
    {details}
    {answer}
  </>
));

export const ItemLayoutProvider = ItemLayout.Provider;

/** The parts of a form, as the surrounding view lays them out. */
export function ItemFrame(parts: ItemParts) {
  return useContext(ItemLayout)(parts);
}
