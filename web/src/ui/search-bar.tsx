// Lays out a search field and its filters on one line.
import type { ReactNode } from 'react';
import './search-bar.css';

export const SearchBar = ({ children }: { children: ReactNode }) => <search className="search-bar">{children}</search>;
