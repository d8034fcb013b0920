import { systemClock } from '../actors/system-clock.ts';
import { verifyRuntime } from '../actors/verify-runtime.ts';
import { ServiceError } from '../contract/service-error.ts';
import { canonicalJson } from '../receipts/canonical-json.ts';
import type { CheckedLink } from '../receipts/checked-link.ts';
import { EvidenceChainError } from '../receipts/evidence-chain-error.ts';
import { dataRootAt } from '../storage/data-root.ts';
import { LedgerError } from '../storage/ledger-error.ts';
import { openLedger } from '../storage/open-ledger.ts';
import { openVault } from '../storage/open-vault.ts';
import { VaultError } from '../storage/vault-error.ts';
import { commands } from './commands.ts';
import { answersQuestion } from './help.ts';
import { StartError } from './start-error.ts';
import { checkedLine, faultOf, type Verification, verdictLines, verificationOf } from './verification.ts';
import { type VerifyOptions, verifyOptions } from './verify-options.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function verify({ dataRoot, runtimeId, json }: VerifyOptions): Promise<Verification> {
  const checked: CheckedLink[] = [];
  const report = (link: CheckedLink) => {
    checked.push(link);
    if (!json) print(checkedLine(link));
  };
  const vault = await openVault({ root: dataRoot });
  const ledger = await openLedger({
    directory: dataRootAt(dataRoot).ledger,
    clock: systemClock,
    encodeEvent: canonicalJson,
    onFatal: () => undefined,
  });
  try {
    return verificationOf(runtimeId, checked, await verifyRuntime({ ledger, vault }, runtimeId, report));
  } catch (error) {
    if (!(error instanceof EvidenceChainError)) throw error;
    return verificationOf(runtimeId, checked, faultOf(error));
  } finally {
    await ledger.close();
  }
}

/** A store that cannot be read at all is damage too; everything else that stops the check is a wrong call. */
async function verified(options: VerifyOptions): Promise<Verification> {
  try {
    return await verify(options);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'store_unreadable') throw error;
    return verificationOf(options.runtimeId, [], { link: 'store', place: error.message, contentId: null });
  }
}

const isRefusal = (error: unknown): error is Error =>
  [StartError, ServiceError, LedgerError, VaultError].some((kind) => error instanceof kind);

try {
  const args = process.argv.slice(2);
  if (!answersQuestion(args, commands.verify, (text) => process.stdout.write(text))) {
    const options = verifyOptions(args);
    const verification = await verified(options);
    if (options.json) print(JSON.stringify(verification));
    else for (const line of verdictLines(verification)) print(line);
    process.exitCode = verification.verdict === 'intact' ? 0 : 1;
  }
} catch (error) {
  if (!isRefusal(error)) throw error;
  const code = 'code' in error ? `${error.code}: ` : '';
  process.stderr.write(`${error.message.startsWith(code) ? '' : code}${error.message}\n`);
  process.exitCode = 2;
}
