import './color-scheme.ts';
import 'graphiql/style.css';
import '../site.css';
import './graphiql.css';
import { requireSignIn } from './require-sign-in.ts';

// The editor has 450 kB: a redirect to the sign-in does not wait for it.
if (await requireSignIn().catch(() => true)) await import('./app.tsx');
