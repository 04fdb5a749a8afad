"""Words in and out, English and Korean; pure, the reference instant and zone are handed in."""
