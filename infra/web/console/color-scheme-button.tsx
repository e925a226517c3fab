import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

export function useOtherColors() {
  const { toggleColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return { isDark, label: isDark ? 'Use light colors' : 'Use dark colors', toggle: toggleColorScheme };
}

export function ColorSchemeButton() {
  const { isDark, label, toggle } = useOtherColors();
  return (
    <ActionIcon size="lg" title={label} aria-label={label} onClick={toggle}>
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}
