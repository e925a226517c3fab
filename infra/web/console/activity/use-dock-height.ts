import { useLocalStorage, useSplitter } from '@mantine/hooks';

/** In percent of the window, so that a height chosen on a large screen fits on a small one. */
const LIST = { defaultSize: 68, min: 20, max: 82 };
const DOCK = { defaultSize: 32, min: 18, max: 80 };

/**
 * Returns the height of the open dock, which the browser stores, and the props for its element and its resizable edge.
 */
export function useDockHeight() {
  const [height, setHeight] = useLocalStorage({
    key: 'dock-height',
    defaultValue: DOCK.defaultSize,
    getInitialValueInEffect: false,
  });
  const { ref, getHandleProps } = useSplitter({
    panels: [LIST, DOCK],
    orientation: 'vertical',
    sizes: [100 - height, height],
    onSizeChange: ([, size]) => setHeight(Math.round(Number(size))),
    step: 4,
  });
  return {
    height,
    // The parent is as high as the window.
    dockRef: (dock: HTMLElement | null) => ref(dock?.parentElement ?? null),
    edgeProps: { ...getHandleProps({ index: 0 }), 'aria-label': 'Height of the list' },
  };
}
