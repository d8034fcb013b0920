import { auditRead } from './audit-read.ts';
import { busyHost } from './busy-host.ts';
import { cuts } from './cuts.ts';
