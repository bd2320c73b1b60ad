// Draws a search field with its icon and the key that focuses it. Owns no text and no delay.
import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Key } from './key.tsx';
import './search-box.css';

export const SearchBox = ({ label, ...input }: ComponentProps<'input'> & { label: string }) => (
  <div className="search">
    <Search className="icon" />
    <input type="search" className="field" aria-label={label} {...input} />
    <Key>/</Key>
  </div>
);
