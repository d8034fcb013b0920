import { videohostContract } from './videohost-contract.ts';

videohostContract('node');
