import { useLocalStorage, useSplitter } from '@mantine/hooks';

/** In percent of the window. */
const LIST = { defaultSize: 68, min: 20, max: 82 };
const DOCK = { defaultSize: 32, min: 18, max: 80 };

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
    dockRef: (dock: HTMLElement | null) => ref(dock?.parentElement ?? null),
    edgeProps: { ...getHandleProps({ index: 0 }), 'aria-label': 'Height of the list' },
  };
}
