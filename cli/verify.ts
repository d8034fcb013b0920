import { verifyRuntime } from '../actors/reopening/verify-runtime.ts';
import { tombstoneCheck } from '../actors/supervision/deletion-rows.ts';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { ServiceError } from '../contract/base/service-error.ts';
import { canonicalJson } from '../receipts/core/canonical-json.ts';
import type { CheckedLink } from '../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../receipts/core/evidence-chain-error.ts';
import { acceptLoss, checkLedger } from '../storage/ledger/accept-loss.ts';
import { damagedObjectsOf } from '../storage/ledger/examine-objects.ts';
import { damagedRowsOf } from '../storage/ledger/examine-rows.ts';
import { LedgerError } from '../storage/ledger/ledger-error.ts';
import { openLedger } from '../storage/ledger/open-ledger.ts';
import { demandDataRoot } from '../storage/objects/data-root.ts';
import { dataRootAt } from '../storage/objects/data-root-layout.ts';
import { ObjectStoreError } from '../storage/objects/object-store-error.ts';
import { openObjectStore } from '../storage/objects/open-object-store.ts';
import { bundleExit, bundleLines, bundleVerified } from './bundle-verification.ts';
import { outliveReaders } from './closed-outputs.ts';
import { commands } from './commands.ts';
import { answersQuestion } from './options/help.ts';
import { StartError } from './options/start-error.ts';
import { failureLine } from './options/start-remedies.ts';
import { type BundleOptions, type VerifyOptions, verifyOptions } from './options/verify-options.ts';
import { type StoreVerification, storeLines, storeVerificationOf } from './store-verification.ts';
import { checkedLine, faultOf, type Verification, verdictLines, verificationOf } from './verification.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function verify({ dataRoot, json }: VerifyOptions, runtimeId: string): Promise<Verification> {
  const checked: CheckedLink[] = [];
  const report = (link: CheckedLink) => {
    checked.push(link);
    if (!json) print(checkedLine(link));
  };
  const objectStore = await openObjectStore({ root: dataRoot });
  const ledger = await openLedger({
    directory: dataRootAt(dataRoot).ledger,
    clock: systemClock,
    encodeEvent: canonicalJson,
    onFatal: () => undefined,
  });
  try {
    return verificationOf(runtimeId, checked, await verifyRuntime({ ledger, objectStore }, runtimeId, report));
  } catch (error) {
    if (!(error instanceof EvidenceChainError)) throw error;
    return verificationOf(runtimeId, checked, faultOf(error));
  } finally {
    await ledger.close();
  }
}

/** A store that cannot be read at all is damage too; everything else that stops the check is a wrong call. */
async function verified(options: VerifyOptions, runtimeId: string): Promise<Verification> {
  try {
    return await verify(options, runtimeId);
  } catch (error) {
    if (!isStoreDamage(error)) throw error;
    return verificationOf(runtimeId, [], { link: 'store', place: error.message, contentId: null });
  }
}

/** Checks the store, and gives up what it has lost where that is asked for. */
async function storeVerified({ dataRoot, acceptsLoss, hashesObjects }: VerifyOptions): Promise<StoreVerification> {
  await demandDataRoot(dataRoot);
  try {
    const loss = acceptsLoss ? await acceptLoss(dataRoot, systemClock) : null;
    if (loss !== null) return storeVerificationOf(dataRoot, loss.faults, [], loss);
    const { faults } = await checkLedger(dataRoot);
    const rows = faults.length === 0 ? await damagedRowsOf(dataRootAt(dataRoot).ledger, tombstoneCheck) : [];
    const objects = faults.length === 0 && hashesObjects ? await damagedObjectsOf(dataRoot) : [];
    return storeVerificationOf(dataRoot, faults, [...rows, ...objects], null);
  } catch (error) {
    if (!isStoreDamage(error)) throw error;
    return storeVerificationOf(dataRoot, [error.message], [], null);
  }
}

async function verifyFile(options: BundleOptions): Promise<void> {
  const verification = await bundleVerified(options, print);
  for (const line of options.json ? [JSON.stringify(verification)] : bundleLines(verification)) print(line);
  process.exitCode = bundleExit(verification, options.trust);
}

const isStoreDamage = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && (error.code === 'store_unreadable' || error.code === 'ledger_damaged');

const isRefusal = (error: unknown): error is Error =>
  [StartError, ServiceError, LedgerError, ObjectStoreError].some((kind) => error instanceof kind);

outliveReaders();
try {
  const args = process.argv.slice(2);
  if (!answersQuestion(args, commands.verify, (text) => process.stdout.write(text))) {
    const options = verifyOptions(args);
    if ('bundle' in options) await verifyFile(options);
    else {
      const { runtimeId } = options;
      const verification = runtimeId === null ? await storeVerified(options) : await verified(options, runtimeId);
      if (options.json) print(JSON.stringify(verification));
      else
        for (const line of 'faults' in verification ? storeLines(verification) : verdictLines(verification))
          print(line);
      process.exitCode = verification.verdict === 'damaged' ? 1 : 0;
    }
  }
} catch (error) {
  if (!isRefusal(error)) throw error;
  process.stderr.write(`${failureLine(error)}\n`);
  process.exitCode = 2;
}
