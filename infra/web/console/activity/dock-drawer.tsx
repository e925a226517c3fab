import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Target, useRestoredFocus } from '../focus.ts';

type Props = { dock: Target; children: ReactNode; onClose: () => void };

/** Covers a small screen with the activity. */
export const DockDrawer = ({ dock, children, onClose }: Props) => (
  <Drawer
    opened
    onClose={onClose}
    position="bottom"
    size="85%"
    padding={0}
    withCloseButton={false}
    attributes={{ content: { 'aria-label': 'Activity' } }}
  >
    <DrawerContent dock={dock}>{children}</DrawerContent>
  </Drawer>
);

/** Mantine cannot return the focus: the tab that opened the drawer has made room for the one in it. */
function DrawerContent({ dock, children }: Pick<Props, 'dock' | 'children'>) {
  useRestoredFocus({
    get current() {
      return dock.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]') ?? null;
    },
  });
  return children;
}
