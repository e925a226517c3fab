import { type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';

const theme = createTheme({
  // Also used by console.css, site.css and graphiql.css.
  colors: {
    dark: [
      '#d3d7de',
      '#b9bfc9',
      '#828a97',
      '#69717e',
      '#434a56',
      '#363b44',
      '#2a2f37',
      '#1f2227',
      '#1b1e23',
      '#17191d',
    ],
  },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Code", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  // Wide enough for ids in the list.
  breakpoints: { xl: '90em' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    // A menu without a portal stays within its landmark.
    Menu: { defaultProps: { withinPortal: false, floatingStrategy: 'fixed', withInitialFocusPlaceholder: false } },
    Badge: { defaultProps: { tt: 'none' } },
    // Tooltips also open on focus. A portal would be outside of all landmarks.
    Tooltip: {
      defaultProps: {
        events: { hover: true, focus: true, touch: false },
        withinPortal: false,
        floatingStrategy: 'fixed',
      },
    },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        styles: {
          content: { overflowWrap: 'break-word' },
          title: { minWidth: 0, fontWeight: 600, overflowWrap: 'anywhere' },
        },
        // Otherwise a dialog's header would be a second banner landmark.
        attributes: { header: { role: 'presentation' } },
      },
    },
  },
});

/** Mantine's colors have less contrast than WCAG requires. */
const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55606e',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#a51d1d',
    '--mantine-color-teal-light-color': '#06593f',
    '--mantine-color-red-light-color': '#a51d1d',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-8)',
  },
  dark: {
    '--mantine-color-dimmed': '#a4adbb',
    '--mantine-color-placeholder': '#939cab',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#a51d1d',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-3)',
  },
});

export const Theme = ({ children }: { children: ReactNode }) => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariablesResolver}
    defaultColorScheme="auto"
    deduplicateCssVariables={false}
  >
    {children}
  </MantineProvider>
);
