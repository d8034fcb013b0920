import { keepFilesPrivate, outliveReaders } from '../options/outputs.ts';
import { runVerify } from './verify-command.ts';

keepFilesPrivate();
outliveReaders();
process.exitCode = await runVerify(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
