"""Droppers that bow sideways while they are slack, beside the laws that know no sideways."""
