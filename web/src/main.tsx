import "./styles/main.css";
import "./styles/code.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { cache, live } from "~/api/client";
import { router } from "~/app/router";
import { applyTheme } from "~/app/theme";
import { initLanguage } from "~/i18n/setup";

applyTheme();
live.start();

const root = document.getElementById("root");
void initLanguage().then(() => {
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
});
