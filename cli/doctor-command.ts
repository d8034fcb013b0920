import { systemClock } from '../actors/supervision/system-clock.ts';
import { findingLine } from './doctor/finding.ts';
import {
  adapterFinding,
  nodeFinding,
  recognizerFinding,
  screenTextFinding,
  speechFinding,
  toolFindings,
} from './doctor/machine-checks.ts';
import { hostFindings, spaceFinding, storeFinding } from './doctor/store-checks.ts';
import { defaultDataRoot } from './options/default-data-root.ts';
import type { GivenFlags } from './options/flags.ts';
import { pathOption } from './options/path-option.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';

export async function doctor(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const dataRoot = pathOption(given, 'data-root') ?? defaultDataRoot();
  const hosts = await hostFindings(dataRoot);
  const isRunning = hosts[0].detail.startsWith('runs');
  const findings = [
    nodeFinding(process.versions.node),
    await adapterFinding(),
    await speechFinding(),
    ...(await toolFindings(process.env, systemClock.now())),
    await recognizerFinding(process.env),
    await screenTextFinding(),
    await spaceFinding(dataRoot),
    await storeFinding(dataRoot, isRunning),
    ...hosts,
  ];
  for (const finding of findings) terminal.result(finding, [findingLine(finding)]);
  return findings.some(({ state }) => state === 'failed') ? exitCodes.failed : exitCodes.done;
}
