import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsolePage } from './console-page.ts';
import type { TaskRecorder } from './task-recorder.ts';
import type { User } from './users.ts';

export type Desk = { page: Page; console: ConsolePage; agent: TaskRecorder; panel: Locator };

export const button = (scope: Page | Locator, name: string) => scope.getByRole('button', { name, exact: true });
export const link = (scope: Page | Locator, name: string) => scope.getByRole('link', { name, exact: true });
export const field = ({ panel }: Desk, label: string) => panel.getByRole('textbox', { name: label });
export const readTotal = ({ page }: Desk) => page.getByTestId('total').textContent();
export const waitForNotice = ({ page }: Desk, text: string) => page.getByTestId('notice').getByText(text).waitFor();

export async function search({ console, agent }: Desk, text: string): Promise<void> {
  await agent.click(console.search);
  await agent.type(text);
}

export async function expectOpen({ panel }: Desk, { name, email }: User): Promise<void> {
  await panel.getByRole('heading', { name, exact: true }).waitFor();
  await expect.poll(() => panel.getByLabel('Email').inputValue()).toBe(email);
}

export async function find(desk: Desk, text: string, user: User): Promise<void> {
  await search(desk, text);
  await desk.agent.press('Enter');
  await expectOpen(desk, user);
}

export const openTab = ({ agent, panel }: Desk, name: string) => agent.click(panel.getByRole('tab', { name }));

export async function enter(desk: Desk, label: string, text: string): Promise<void> {
  await desk.agent.click(field(desk, label));
  await desk.agent.replace(text);
}

export async function choose({ agent, panel }: Desk, label: string, value: string): Promise<void> {
  await agent.select(panel.getByLabel(label), value);
  await agent.click(button(panel, 'Save'));
}

export async function filter({ agent, page }: Desk, name: string, value: string): Promise<void> {
  await agent.click(button(page, `Filter by ${name}`));
  await agent.click(page.getByRole('menuitemcheckbox', { name: value }));
}

export async function download({ agent, page }: Desk, target: Locator): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), agent.click(target)]);
  return readFile(await file.path(), 'utf8');
}
