"""Slack droppers that bow sideways, against dropper laws without lateral motion."""
