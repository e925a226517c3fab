import { useLocalStorage } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import classes from './dock.module.css';

/** Heights are in percent of the window, so that what was chosen on a large screen leaves room on a small one. */
const MIN = 18;
const MAX = 80;
const DEFAULT = 32;
const STEP = 4;

const limit = (height: number): number => Math.round(Math.min(MAX, Math.max(MIN, height)));

/** Returns the height of the open dock, which the browser keeps. */
export const useDockHeight = () =>
  useLocalStorage<number>({
    key: 'dock-height',
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
    deserialize: (stored) => limit(Number(stored) || DEFAULT),
  });

type Props = { height: number; onResize: (height: number) => void };

/** Its place is the upper edge of the dock. The arrow keys move it, too (https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/). */
export function DockResizer({ height, onResize }: Props) {
  const isDragged = useRef(false);
  const moveTo = (y: number) => onResize(limit(((innerHeight - y) / innerHeight) * 100));
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowUp: height + STEP, ArrowDown: height - STEP, Home: MIN, End: MAX }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onResize(limit(next));
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    isDragged.current = true;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr cannot be moved
    <div
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the activity"
      aria-valuenow={height}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      aria-valuetext={`${height} % of the window`}
      tabIndex={0}
      className={classes.resizer}
      onKeyDown={onKeyDown}
      onPointerDown={drag}
      onPointerMove={({ clientY }) => isDragged.current && moveTo(clientY)}
      onLostPointerCapture={() => {
        isDragged.current = false;
      }}
      onDoubleClick={() => onResize(DEFAULT)}
    />
  );
}
