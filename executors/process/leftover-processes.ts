import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills the processes whose home is one of these private folders. A host killed within the fraction of a
 * millisecond between a process's birth and its first limit leaves it behind; the next host finds it so.
 * Does nothing where there is no /proc.
 */
export async function killLeftovers(folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const homes = new Set(folders.map((folder) => `HOME=${folder}`));
  const names = await readdir('/proc').catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  await Promise.all(
    ids.map(async (id) => {
      if (await livesIn(id, homes)) killIfThere(id);
    }),
  );
}

async function livesIn(id: number, homes: ReadonlySet<string>): Promise<boolean> {
  // It may have ended, or belong to another user.
  const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((variable) => homes.has(variable));
}

function killIfThere(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
