import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { HostUnreachable } from '../client/host-error.ts';
import { failureLine, StartError } from '../options/failures.ts';
import { answersQuestion, parseFlags, pathOption } from '../options/flags.ts';
import { type ExitCode, exitCodes, keepFilesPrivate, outliveReaders, report } from '../options/outputs.ts';
import { ExportFolder } from './agent/export-folder.ts';
import { mcpWords } from './commands.ts';
import { studyTools } from './mcp-tools.ts';
import { dataRootLine, dataRootOf } from './options/data-root.ts';
import { WrongCall } from './terminal/call.ts';
import { hostOfCall, NoHost, namedHost } from './terminal/running-host.ts';

/** Says why no host is there, or the call is wrong; the exit code for that. */
function reported(error: unknown): ExitCode {
  const isWrong = error instanceof StartError || error instanceof WrongCall;
  const isOfSettings = error instanceof StartError && error.code === 'invalid_settings';
  const ownHint = error instanceof HostUnreachable ? `; ${error.hint}` : '';
  const hint = isWrong ? '; media-study mcp --help shows its flags' : ownHint;
  report(isOfSettings ? failureLine(error) : `${error instanceof Error ? error.message : String(error)}${hint}`);
  if (isWrong) return exitCodes.usage;
  return error instanceof NoHost || error instanceof HostUnreachable ? exitCodes.noHost : exitCodes.failed;
}

/**
 * Serves until the agent closes stdin. The agent is answered at once, and its first calls wait for the host, which is found or started
 * meanwhile. A search that failed is an answer to each call, which searches again.
 */
async function serveAgent(args: readonly string[]): Promise<ExitCode> {
  const given = parseFlags(args, mcpWords.flags);
  if (namedHost(process.env) === null) report(dataRootLine(given));
  const stop = new AbortController();
  const host = hostOfCall(dataRootOf(given), report, {
    signal: stop.signal,
    isRootNamed: given.has('data-root'),
    // An agent cannot start the host of a person.
    replacesAny: true,
  });
  const server = studyTools(host.client, new ExportFolder(pathOption(given, 'output')));
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('close', resolve).once('end', resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        stop.abort(new Error('the agent server was stopped'));
        resolve();
      });
    }
  });
  const search = host.find().then(
    () => exitCodes.done,
    (error: unknown) => (stop.signal.aborted ? exitCodes.done : reported(error)),
  );
  await server.connect(new StdioServerTransport());
  await gone;
  const exit = await search;
  await server.close();
  await host.close();
  return exit;
}

keepFilesPrivate();
outliveReaders();
const args = process.argv.slice(2);
if (!answersQuestion(args, mcpWords, (text) => process.stdout.write(text))) {
  process.exit(await serveAgent(args).catch(reported));
}
