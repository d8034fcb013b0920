import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';

async function run({ host, terminal }: Call) {
  const document = await host.signingKeys();
  terminal.result(
    document,
    document.keys.map(({ publicKey }) => publicKey.trimEnd()),
  );
  return exitCodes.done;
}

/** Prints the public key that others need to trust the bundles of this host. */
export const printSigningKeys: HostCommand = {
  usage: 'media-study signing-keys [flags]',
  purpose: 'Prints the public key of the host in PEM, for verify --trust on another machine.',
  flags: hostFlags,
  beginsData: true,
  run,
};
