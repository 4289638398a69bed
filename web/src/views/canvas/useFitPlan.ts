import { getViewportForBounds, useReactFlow, useStoreApi } from "@xyflow/react";
import { useCallback } from "react";
import type { Layout } from "~/api/generated";

export const ZOOM_MIN = 0.02;
const PADDING = 0.05;

/** Returns a function that zooms out to the whole plan. */
export function useFitPlan({ width, height }: Layout): () => void {
  const flow = useReactFlow();
  const store = useStoreApi();
  return useCallback(() => {
    const box = store.getState();
    const bounds = { x: 0, y: 0, width, height };
    const viewport = getViewportForBounds(bounds, box.width, box.height, ZOOM_MIN, 1, PADDING);
    void flow.setViewport(viewport, { duration: 200 });
  }, [flow, store, width, height]);
}
