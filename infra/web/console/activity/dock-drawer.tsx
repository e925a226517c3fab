import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRestoredFocus } from '../focus.ts';

type Props = { children: ReactNode; onClose: () => void };

/** Covers a small screen with the activity. */
export const DockDrawer = ({ children, onClose }: Props) => (
  <Drawer
    opened
    onClose={onClose}
    position="bottom"
    size="85%"
    padding={0}
    withCloseButton={false}
    attributes={{ content: { 'aria-label': 'Activity' } }}
  >
    <DrawerContent>{children}</DrawerContent>
  </Drawer>
);

/** Mantine cannot return the focus: the tab that opened the drawer has made room for the one in it. */
function DrawerContent({ children }: { children: ReactNode }) {
  useRestoredFocus('.dock [role="tab"][aria-selected="true"]');
  return children;
}
