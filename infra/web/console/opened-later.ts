// biome-ignore-all lint/performance/noBarrelFile: It becomes one file, instead of twenty that share parts.

/** What a person opens, which no first view of the console shows. */
export { ChangeList } from './activity/change-list.tsx';
export { DockDrawer } from './activity/dock-drawer.tsx';
export { RequestList } from './activity/request-list.tsx';
export { SignInCard } from './auth/sign-in-card.tsx';
export { KeySheet } from './palette/key-sheet.tsx';
export { Palette } from './palette/palette.tsx';
export { UserPanel } from './user/user-panel.tsx';
export { EmptyList } from './users/empty-list.tsx';
export { SelectionBar } from './users/selection/selection-bar.tsx';
