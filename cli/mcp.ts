import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { escapedText } from '../contract/base/grammar.ts';
import { mcpWords } from './commands.ts';
import { failureLine, StartError } from './failures.ts';
import { ExportFolder, studyTools } from './mcp-tools.ts';
import { dataRootLine, dataRootOf } from './options/data-root.ts';
import { answersQuestion, parseFlags, pathOption } from './options/flags.ts';
import { keepFilesPrivate, outliveReaders } from './outputs.ts';
import { WrongCall } from './terminal/call.ts';
import { findOrStartHost, NoHost, namedHost } from './terminal/running-host.ts';
import { exitCodes } from './terminal/terminal.ts';

const report = (line: string): void => void process.stderr.write(`${escapedText(line)}\n`);

/** Serves until the agent closes stdin. */
async function serveAgent(args: readonly string[]): Promise<void> {
  const given = parseFlags(args, mcpWords.flags);
  if (namedHost(process.env) === null) report(dataRootLine(given));
  const found = await findOrStartHost(dataRootOf(given), report);
  const server = studyTools(found.client, new ExportFolder(pathOption(given, 'output')));
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('close', resolve).once('end', resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  await server.connect(new StdioServerTransport());
  await gone;
  await server.close();
  await found.close();
}

keepFilesPrivate();
outliveReaders();
const args = process.argv.slice(2);
if (!answersQuestion(args, mcpWords, (text) => process.stdout.write(text))) {
  try {
    await serveAgent(args);
    process.exit(exitCodes.done);
  } catch (error) {
    const isWrong = error instanceof StartError || error instanceof WrongCall;
    const isOfSettings = error instanceof StartError && error.code === 'invalid_settings';
    const hint = isWrong ? '; media-study mcp --help shows its flags' : '';
    report(isOfSettings ? failureLine(error) : `${error instanceof Error ? error.message : String(error)}${hint}`);
    process.exit(isWrong ? exitCodes.usage : error instanceof NoHost ? exitCodes.noHost : exitCodes.failed);
  }
}
