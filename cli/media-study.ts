import { version } from '../contract/base/program-version.ts';
import { outliveReaders } from '../options/outputs.ts';

// A question for the version loads nothing else: tools ask it each time they look for the program.
if (['--version', '-v', 'version'].includes(process.argv[2] ?? '')) {
  outliveReaders();
  process.stdout.write(`${version}\n`);
} else await import('./command-line.ts');
