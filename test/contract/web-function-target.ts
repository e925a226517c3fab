export { setupWebFunction as default } from './target.ts';
