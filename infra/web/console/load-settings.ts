import type { ConsoleSettings } from './settings.ts';

export async function loadSettings(): Promise<ConsoleSettings> {
  const response = await fetch('/console.json');
  if (!response.ok) throw new Error(`The settings of the console cannot be loaded: ${response.status}`);
  return response.json();
}
