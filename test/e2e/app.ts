import { Aspects } from 'aws-cdk-lib';
import { app } from '../../infra/app.ts';
import { forEmulator } from './for-emulator.ts';

// The app is synthesized when the process has nothing else to do.
Aspects.of(app).add(forEmulator);
